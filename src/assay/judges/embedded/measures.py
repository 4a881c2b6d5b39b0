"""Words that ask for an operation on a table, and words that speak of a column."""

# ruff: noqa: SIM905 - word lists read better as prose

from assay._text import words


def stems_of(text: str) -> frozenset[str]:
    """The stems of the words of a list."""
    return frozenset(map(words.stem, text.split()))


# They ask for the order of the cells of a column.
MEASURES = frozenset(
    "higher highest lower lowest more most greater greatest maximum fewer fewest less least "
    "minimum larger largest bigger biggest smaller smallest longer longest shorter shortest taller "
    "tallest heavier heaviest lighter lightest dearer dearest pricier costlier cheaper cheapest "
    "faster fastest slower slowest warmer warmest hotter hottest colder coldest cooler coolest "
    "later latest newer newest earlier earliest older oldest younger youngest".split()
)
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
