"""Contexts with statements and questions that were written for this training alone."""
