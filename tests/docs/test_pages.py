"""What the pages say is true; that their examples print what they show is held by `make check`."""

import pkgutil
import re
import sys
import tomllib
from dataclasses import fields
from pathlib import Path

import click
import pytest

import assay
from assay._cli import main
from assay.metrics import METRICS
from assay.prompt import FENCE_RULE
from support.over import over

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "docs"))

import generate  # noqa: E402 - docs/ is no package
from snippets import Block, blocks, pages  # noqa: E402

PAGES = pages()
TEXTS = [
    *PAGES,
    ROOT / "CHANGELOG.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
    *sorted((ROOT / "docs" / "decisions").glob("*.md")),
]
LINK = re.compile(r"(?<!!)\[[^\]\n]+\]\(([^)\s]+)\)")
FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
MOST_NOT_RUN = 6
MOST_HEADINGS = 5


def name(path: object) -> str:
    return str(path.relative_to(ROOT)) if isinstance(path, Path) else str(path)


def all_blocks() -> list[tuple[Path, Block]]:
    return [(page, block) for page in PAGES for block in blocks(page.read_text("utf-8"))]


def anchors(page: Path) -> set[str]:
    # As the usual hosts make them: lower case, punctuation dropped, spaces to "-".
    text = FENCED.sub("", page.read_text("utf-8"))
    heads = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {
        re.sub(r"[^\w\- ]", "", head.replace("`", "")).lower().replace(" ", "-") for head in heads
    }


@over("page", PAGES)
def test_every_command_shown_is_understood_by_the_command_line(page: Path) -> None:
    for block in blocks(page.read_text("utf-8")):
        for _, *words in block.commands:
            given = [word for word in words if word != "--debug"]
            if given[0] in ("--help", "--version", "-h"):
                continue
            try:
                context = click.Context(main, **main.context_settings)
                name, command, arguments = main.resolve_command(context, given)
                assert command
                command.make_context(name, arguments, parent=context)
            except click.exceptions.Exit:
                continue  # --help
            except click.UsageError as error:
                pytest.fail(f"line {block.line}: assay {' '.join(given)}: {error.format_message()}")


def test_every_command_named_in_the_text_exists() -> None:
    known = set(main.list_commands(click.Context(main)))
    for page in TEXTS:
        named = set(re.findall(r"`assay ([a-z]+)", page.read_text("utf-8")))
        assert named <= known, name(page)


@over("page", PAGES)  # decisions and changes may tell of what is gone
def test_every_module_and_file_of_ours_that_is_named_exists(page: Path) -> None:
    text = page.read_text("utf-8")
    for dotted in re.findall(r"`(assay(?:\.\w+)+)\b(?:\([^`]*\))?`", text):
        if not dotted.endswith((".toml", ".db")):
            assert pkgutil.resolve_name(dotted) is not None, dotted
    for path in re.findall(r"`((?:src|tests|benchmarks|training|examples|docs)/[\w/.-]+)`", text):
        assert "NAME" in path or (ROOT / path).exists(), path
    for folder, file in re.findall(r"`(src/[\w/]+/)`[^|\n]*listed in `(\w+\.py)`", text):
        assert (ROOT / folder / file).exists(), file


@over("page", TEXTS)
def test_every_link_leads_somewhere(page: Path) -> None:
    text = FENCED.sub("", page.read_text("utf-8"))
    for link in LINK.findall(text):
        if link.startswith(("https://", "mailto:")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{link} leads nowhere"
        if anchor:
            assert anchor in anchors(target), f"{link}: there is no such heading"


def test_python_that_is_not_run_is_rare_and_says_why() -> None:
    python = [(page, b) for page, b in all_blocks() if b.info.startswith(("python", "py"))]
    not_run = [(page, block) for page, block in python if not block.runs]
    for page, block in not_run:
        assert block.info == "python", f"{name(page)}:{block.line}: {block.info}"
        assert block.note.startswith("no-run: "), f"{name(page)}:{block.line}: no reason given"
    assert len(not_run) <= MOST_NOT_RUN


def test_every_public_name_is_documented() -> None:
    text = (ROOT / "docs" / "api.md").read_text("utf-8")
    assert [n for n in assay.__all__ if f"`{n}`" not in text] == []


def test_what_a_parameter_means_is_told_to_its_end() -> None:
    told = re.findall(r"^- parameter `(\w+)` .*?\): (.*)$", generate.metrics(), re.MULTILINE)
    assert len(told) == sum(len(fields(metric)) for metric in METRICS.values())
    assert [name for name, text in told if not text.endswith(".")] == []


def in_navigation(entries: list[object]) -> list[str]:
    """The pages that the site's navigation holds."""
    pages = []
    for entry in entries:
        if isinstance(entry, str):
            pages.append(entry)
        else:
            assert isinstance(entry, dict)
            for below in entry.values():
                pages += [below] if isinstance(below, str) else in_navigation(below)
    return pages


def test_every_page_is_listed_in_the_index_and_stands_once_in_the_navigation() -> None:
    files = {p.name for p in (ROOT / "docs").glob("*.md")}
    index = (ROOT / "docs" / "index.md").read_text("utf-8")
    assert files - {"index.md"} <= set(LINK.findall(index))
    navigation = tomllib.loads((ROOT / "zensical.toml").read_text("utf-8"))["project"]["nav"]
    assert len(navigation) <= MOST_HEADINGS
    assert sorted(in_navigation(navigation)) == sorted({*files, "decisions/README.md"})


def test_the_changelog_tells_of_this_version() -> None:
    assert f"## [{assay.__version__}]" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_the_rule_about_fences_is_quoted_as_it_is_sent() -> None:
    assert FENCE_RULE in (ROOT / "docs" / "tasks.md").read_text("utf-8")


@over(
    ("new", "told"),
    [
        ("mean 0.61  0.52–0.70\n3.1 s, 1 Dec 08:05", "old"),
        ("mean 0.61  0.52–0.70\n2 min,\n1 Dec 08:05", "old"),
        ("mean 0.62  0.52–0.70\n4.4 s, 30 Nov 11:17", "old"),  # as another processor may round
        ("mean 0.63  0.52–0.70\n4.4 s, 30 Nov 11:17", "new"),
        ("mean 0.61  0.52–0.72\n3.1 s, 1 Dec 08:05", "new"),
    ],
)
def test_output_is_out_of_date_by_digits_that_are_no_rounding(new: str, told: str) -> None:
    old = "mean 0.61  0.52–0.70\n4.4 s, 30 Nov 11:17"
    assert generate.same(old, new) is (told == "old")
    assert (generate.steady(old, new) == old) is (told == "old")
    assert generate.same("faithfulness 0.50705", "faithfulness 0.50755")
    assert not generate.same("faithfulness 0.50705", "faithfulness 0.51445")


@over("page", TEXTS)
def test_no_page_names_a_machine(page: Path) -> None:
    text = page.read_text("utf-8")
    found = re.findall(r"/(?:work|opt|root|home|tmp|Users)/\S*", text)
    assert found == []


def test_the_picture_of_the_readme_shows_what_its_example_prints():
    """Where it does not: `python docs/picture.py`."""
    png = (ROOT / "docs" / "report.png").read_bytes()
    words = re.search(rb"tEXtComment\0(.+?)\.?.{8}IEND", png, re.DOTALL)[1].decode("latin-1")
    readme = " ".join((ROOT / "README.md").read_text("utf-8").split())
    assert words in readme
