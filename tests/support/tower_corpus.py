"""A corpus of towers, and questions about them."""

TOWERS = [f"tower{n}" for n in range(12)]
MEAN = {"pooling_mode_mean_tokens": True}


def corpus():
    """A document for each tower, of one passage."""
    return [
        {
            "id": name,
            "text": f"The keeper of {name} lights its lamp at dusk in every month. "
            f"Visitors reach {name} by a path of {n} hundred steps from the harbour below. "
            f"Nobody lives in {name} today, but a warden comes by once a week to look after it.",
        }
        for n, name in enumerate(TOWERS)
    ]


def asked(**fields):
    """Two questions about each tower."""
    return [
        {
            "id": f"{name}-{n}",
            "question": f"{words} {name}?",
            "reference_context_ids": [name],
            **fields,
        }
        for name in TOWERS
        for n, words in enumerate(("Who lights the lamp of", "How many steps lead to"))
    ]
