"""How the reader of the embedded judge is trained, fitted and shipped."""
