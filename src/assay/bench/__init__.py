"""How far a judge agrees with people: any judge, on human-labelled sets that do not ship.

`catalogue.py` names the sets; a set is a `Benchmark`: its rows, and what is measured on them.
`measurement.py` measures; `card.py` is what comes of it.
"""
