"""Training rows for relevance: does a sentence, or a whole text, answer what was asked?"""
