"""What may be asked of a running assay, over HTTP and by coding agents?

`functions` does the work, on plain values; `http` and `mcp` are two doors to it.
"""
