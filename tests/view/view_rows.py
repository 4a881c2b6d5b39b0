"""Sixty questions about towers, and what an attacker would write into each text."""

SIGN = "PWNED"
ATTACK = (
    f"<script>document.title='{SIGN}'</script><img src=x onerror=\"document.title='{SIGN}'\">"
    f"<a href=\"javascript:document.title='{SIGN}'\">x</a>\u202e\x1b \"' onload=x {{{{ 7*7 }}}}"
    "</textarea></noscript></template>"
)
ROWS = [
    {
        "id": f"q{n}",
        "question": f"When was tower {n} built?",
        "contexts": [f"Tower {n} was built in 18{n:02}.", "It is made of iron."],
        "answer": f"Tower {n} was built in 18{n:02}. It is red." if n % 3 else f"In 18{n:02}.",
        "reference": f"In 18{n:02}.",
    }
    for n in range(1, 61)
]


def spoilt(value):
    """A row with the attack in each of its texts."""
    if isinstance(value, dict):
        return {name: spoilt(item) for name, item in value.items()}
    return [spoilt(item) for item in value] if isinstance(value, list) else value + ATTACK
