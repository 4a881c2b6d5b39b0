"""How is a run shown? As a page, on the console, or as Markdown, each from the same dict."""
