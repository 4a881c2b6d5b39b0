"""Reports of runs, comparisons, diagnoses and more: as pages, on the console, in Markdown."""
