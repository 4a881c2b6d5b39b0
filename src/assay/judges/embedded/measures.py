"""Words that ask for an operation on a table, and the columns that they may speak of."""

# ruff: noqa: SIM905 - word lists read better as prose

from assay._text import words


def stems_of(text: str) -> frozenset[str]:
    """The stems of the words of a list."""
    return frozenset(map(words.stem, text.split()))


# Which way a word looks, and the columns that it may speak of without naming them.
MEASURES: dict[str, tuple[int, frozenset[str]]] = {
    word: (sign, stems_of(columns))
    for sign, spoken, columns in (
        (1, "higher highest", "height elevation altitude"),
        (-1, "lower lowest", ""),
        (1, "more most greater greatest maximum", ""),
        (-1, "fewer fewest less least minimum", ""),
        (1, "larger largest bigger biggest", "size area population capacity"),
        (-1, "smaller smallest", "size area population capacity"),
        (1, "longer longest", "length distance duration time minutes runtime"),
        (-1, "shorter shortest", "length distance duration time minutes runtime"),
        (1, "taller tallest", "height"),
        (1, "heavier heaviest", "weight mass"),
        (-1, "lighter lightest", "weight mass"),
        (1, "dearer dearest pricier costlier", "price cost fee rent fare"),
        (-1, "cheaper cheapest", "price cost fee rent fare"),
        (1, "faster fastest", "speed"),
        (-1, "slower slowest", "speed"),
        (1, "warmer warmest hotter hottest", "temperature temp high"),
        (-1, "colder coldest cooler coolest", "temperature temp low"),
        (1, "later latest newer newest", "date year built opened founded released"),
        (-1, "earlier earliest", "date year built opened founded released"),
        (1, "older oldest", "age"),
        (-1, "younger youngest", "age"),
    )
    for word in spoken.split()
}
SUPERLATIVES = frozenset(
    word for word in MEASURES if word.endswith("st") or word in ("maximum", "minimum")
)
AGES = frozenset("older oldest younger youngest".split())
TURNED = stems_of("born birth birthday built opened founded year date established completed")
# They ask for more than the value of a cell.
OPERATIONS = frozenset(
    "only same equal equally both all every each total altogether together combined sum average "
    "mean difference between twice half double times over under above below than first last second "
    "third before after never always none nobody nor either neither except without until since "
    "other another followed following next previous former consecutive different majority quarter "
    "percent almost nearly there ever if would apart besides alone still any no".split()
)
# Words that speak of a column with another name.
SPEAKS: dict[str, frozenset[str]] = {
    stem: stems_of(columns)
    for columns, spoken in (
        ("weight mass", "weigh weighs heavy heavier heaviest lighter lightest"),
        (
            "price cost fee fare rent amount rate",
            "cost costs pay pays paid price priced charge charged dearer cheap cheaper dear",
        ),
        ("height", "tall taller tallest"),
        ("width", "wide"),
        ("depth", "deep"),
        (
            "attendance crowd spectators viewers",
            "crowd spectators attended watched saw viewers audience",
        ),
        ("population inhabitants", "inhabitants residents"),
        ("population inhabitants attendance crowd spectators", "people"),
        ("employees staff", "employs staff employees workers"),
        ("points goals score pts", "scored"),
        (
            "temp temperature",
            "degrees warm warmer warmest cold colder coldest hot hotter hottest",
        ),
        ("age born", "old older oldest young younger youngest"),
        ("speed", "fast faster fastest quick"),
        ("built completed opened year completion", "built erected completed finished opened"),
    )
    for stem in map(words.stem, spoken.split())
}
NEUTRAL = stems_of(
    "list listed table row column record recorded have has had get got show shown give given is "
    "was were one name named call called number value entry item take took place make made total "
    "see seen stand stood come came use used reach reached earn earned receive received "
    "hold held finish finished belong belonged located exactly ended according"
)
