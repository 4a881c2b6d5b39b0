"""What can be read off a text without any model: sentences, statements, words and facts."""
