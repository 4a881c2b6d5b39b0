"""`python -m assay.integrations.ragas --rewrite FILE`: what a team does once to leave ragas."""

from assay._working_folder import leave_working_folder

if __name__ == "__main__":
    leave_working_folder()
    from assay.integrations.ragas.rewrite import rewrite_command

    rewrite_command(prog_name="python -m assay.integrations.ragas")
