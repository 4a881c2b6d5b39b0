"""The command `assay run`."""

from assay._cli import options

_GROUPS = {
    "What is scored": ("metrics", "maps", "contexts", "limit", "skip_invalid"),
    "Who judges": (*options.WHO_JUDGES, "judge_cards", *options.HOW_JUDGED, "probe"),
    "What it may cost": ("dry_run", "price", "budget"),
    "Pace": (*options.PACE, "engine", "workers", "worker_cores"),
    "A running system, asked first": ("target", *options.HOW_ASKED),
    "What the run is called": options.NAMES,
    "What comes out": ("outs", "store", "as_json", "quiet", "no_progress"),
}


@options.command("run", options.RunRequest, _GROUPS)
def run_command(request: options.RunRequest) -> int:
    """Score DATA (JSONL, JSON, CSV, TSV, Parquet or FILE.xlsx#SHEET) and show the scores.

    Killed or stopped at any point, the same command resumes where it stopped: no reply that is in
    the store is asked for again.
    """
    from assay._cli.scoring import run  # it needs every metric: `--help` does not wait for them

    return run(request)
