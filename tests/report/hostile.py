"""What if every text of a report came from somebody who wants to run code on the reader's machine?"""

from typing import Any

import fixture

SIGN = "PWNED"
ATTACKS = (
    f"<script>document.title='{SIGN}'</script>",
    f"</script><script>document.title='{SIGN}'</script>",
    f"</noscript></details></template><script>document.title='{SIGN}'</script>",
    f"<img src=x onerror=\"document.title='{SIGN}'\">",
    f"<svg onload=document.title='{SIGN}'>",
    f"\" onmouseover=\"document.title='{SIGN}'\" x='",
    f"<a href=\"javascript:document.title='{SIGN}'\">click</a> javascript:document.title='{SIGN}'",
    f"</title></style></textarea><!-- <base href=x> <iframe srcdoc=\"<script>parent.document.title='{SIGN}'</script>\">",
    "{{ 7 * 7 }} {% for x in y %} ${7*7} #{7*7}",
    "line\u2028separator\u2029paragraph",
    "\u202eright to left\u2066 isolate \U000e0041\U000e0042 tag",
    "\x00\x07\x1b[31mred\x1b[0m\x9b\r overwritten \ud800",
    "&lt;script&gt; &amp; &#39;",
    "[bold red]rich markup[/bold red] [/] [link=x]",
    "| pipe `tick` **bold** @everyone #1 [x](javascript:x) www.example.org",
)
EVIL = " ".join(ATTACKS)


def report() -> dict[str, Any]:
    """Some of the small report with an attack in every text, keys and names included."""
    data = fixture.small()
    # One sample with everything, one with failures, one with nothing to score.
    data["samples"] = [data["samples"][n] for n in (0, 2, 3)]
    spoilt: dict[str, Any] = _spoilt({**data, "n_shown": 3})
    return spoilt


def _spoilt(value: Any, field: str = "") -> Any:
    if isinstance(value, str):
        return value if field in {"why", "kind"} else value + EVIL
    if isinstance(value, list):
        return [_spoilt(item, field) for item in value]
    if isinstance(value, dict):
        keys_are_data = field in {"scores", "details", "metadata"}
        return {(k + EVIL if keys_are_data else k): _spoilt(v, k) for k, v in value.items()}
    return value
