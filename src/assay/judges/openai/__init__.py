"""Judges behind an OpenAI-compatible server: chat, embeddings and batches."""
