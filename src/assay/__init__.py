"""assay measures how good a RAG system is, and shows the evidence behind every number."""
