"""What a strong model replied to our prompts, kept to be replayed."""
