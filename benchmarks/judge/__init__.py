"""How is the card of the embedded judge made? From what `assay.bench` measures of any judge.

    python -m benchmarks.judge.run --judge embedded

Beside that: its speed, its aims, its thresholds, and the words of the card.
"""
