"""Statistics: arrays in, numbers out. Nothing here knows of samples, metrics or stores."""
