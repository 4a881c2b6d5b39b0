"""How far a judge agrees with people: any judge, on human-labelled sets that do not ship.

A set is a `Benchmark`: its rows, and what is measured on them.
`measurement.py` lists and measures them; `card.py` is what comes of it.
"""
