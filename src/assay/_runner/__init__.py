"""Running an evaluation: from data, metrics and a judge to stored scores."""

# The file that keeps everything where the user names none.
STORE = "assay.db"
