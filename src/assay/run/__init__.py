"""How data, metrics and a judge become a result."""

# The file that keeps everything where the user names none.
STORE = "assay.db"
