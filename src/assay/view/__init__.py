"""The viewer: the runs of a store in a browser on the same machine, to read and to compare."""
