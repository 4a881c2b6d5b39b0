"""How the yes of GGUF models was fitted."""
