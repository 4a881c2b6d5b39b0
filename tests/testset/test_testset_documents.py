"""Documents of every kind are read; each passage is a stretch of its document."""

import json
import re
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import InputError
from assay._text.words import words
from assay.testset import Document, read_documents
from assay.testset.passages import SHORTEST, Corpus, Passage, cut
from support.over import over

PAGE = """<html><head><title>Fees &amp; refunds</title><style>p {color: red}</style></head>
<body><nav>Home | Contact</nav><h2>Refunds</h2><p>A refund takes <b>five</b> days.</p>
<ul><li>By card</li><li>By <a href="x">transfer</a></li></ul>
<table><tr><td>Fee</td><td>2 euros</td></tr></table><script>track("all");</script></body></html>"""


def lorem(n, word="alpha"):
    """n words in sentences of ten."""
    return " ".join(f"{word}{k}" + ("." if k % 10 == 9 else "") for k in range(n))


class TestReading:
    def test_a_folder_gives_its_text_files_by_path(self, tmp_path):
        (tmp_path / "sub").mkdir()
        (tmp_path / ".git").mkdir()
        (tmp_path / "b.md").write_text("# B\n\nText of b.")
        (tmp_path / "sub" / "a.txt").write_text("Text of a.")
        (tmp_path / ".git" / "c.md").write_text("hidden")
        (tmp_path / "picture.png").write_bytes(b"\x89PNG")
        found = read_documents(tmp_path)
        assert [(d.id, d.text) for d in found] == [
            ("b.md", "# B\n\nText of b."),
            ("sub/a.txt", "Text of a."),
        ]

    def test_a_page_is_read_without_its_machinery(self, tmp_path):
        path = tmp_path / "fees.html"
        path.write_text(PAGE)
        (found,) = read_documents([path])
        assert found.title == "Fees & refunds"
        assert "## Refunds" in found.text
        assert "A refund takes five days." in found.text
        assert "- By transfer" in found.text
        assert "Fee | 2 euros" in " ".join(found.text.split())
        for gone in ("color", "track", "Home", "<"):
            assert gone not in found.text

    @over("columns", [("_id", "text"), ("doc_id", "contents"), ("url", "body")])
    def test_a_table_has_a_row_a_document(self, tmp_path, columns):
        name, text = columns
        path = tmp_path / "corpus.jsonl"
        rows = [{name: "d1", "title": "T", text: "One."}, {name: 7, text: "Two."}]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        assert read_documents(path) == [Document("d1", "One.", "T"), Document("7", "Two.")]

    def test_objects_of_frameworks_texts_and_dicts(self):
        chain = SimpleNamespace(page_content="Of LangChain.", metadata={"source": "x.pdf"})
        node = SimpleNamespace(text="Of LlamaIndex.", metadata={"file_name": "y.md"}, id_="n1")
        found = read_documents([chain, node, {"id": "d", "text": "A dict."}, "Plain\ntext."])
        assert [(d.id, d.text) for d in found] == [
            ("x.pdf", "Of LangChain."),
            ("y.md", "Of LlamaIndex."),
            ("d", "A dict."),
            ("document 4", "Plain\ntext."),
        ]

    def test_a_long_text_of_one_line_is_no_path(self):
        (found,) = read_documents("A sentence. " * 40)
        assert found.id == "document 1"

    def test_pages_of_one_file_are_documents_of_their_own(self, tmp_path):
        pages = [SimpleNamespace(page_content=t, metadata={"source": "x.pdf"}) for t in "abc"]
        assert [d.id for d in read_documents(pages)] == ["x.pdf", "x.pdf:2", "x.pdf:3"]
        path = tmp_path / "chunks.jsonl"
        path.write_text("".join(json.dumps({"url": "/a", "text": t}) + "\n" for t in "ab"))
        assert [d.id for d in read_documents(path)] == ["/a", "/a:2"]

    def test_code_of_a_page_keeps_its_lines_and_a_drawing_names_no_page(self, tmp_path):
        path = tmp_path / "p.html"
        path.write_text(
            "<title>Page</title><svg><title>Icon</title></svg>"
            "<pre>def f():\n    return <b>1</b>\n</pre><p>Two\nlines.</p>"
        )
        (found,) = read_documents(path)
        assert found.title == "Page"
        assert "def f():\n    return 1\n" in found.text
        assert "Two lines." in found.text

    def test_a_page_keeps_its_code_tables_and_terms(self, tmp_path):
        path = tmp_path / "p.html"
        path.write_text(
            "<title>T</title><body>Menu<main><p>Give <code>-x</code><sup><a>1</a></sup>.</p><table>"
            "<tr><th>Option</th>\n<th>Meaning</th></tr>\n<tr><td>-x</td><td><p>An x.</p></td></tr>"
            "</table><dl><dt>Lamp</dt><dd><p>A thing.</p></dd></dl></main>Legal"
        )
        (found,) = read_documents(path)
        lines = [" ".join(line.split()) for line in found.text.splitlines() if line.strip()]
        assert lines == ["Give `-x`.", "| Option | Meaning |", "| -x | An x. |", "- Lamp: A thing."]

    @over(
        ("page", "text"),
        [
            (  # as sites write it that are made of Markdown
                "<table><thead>\n<tr>\n<th>Option</th></tr>\n</thead><tbody>\n<tr><td>a|b</td></tbody>",
                "| Option |\n| a\\|b |",
            ),
            ("<table><tr><th>A<th>B<tr><td>1<td>2</table><p>End", "| A | B |\n| 1 | 2 |\n\nEnd"),
            ("<h2>Fees<a href='#fees'>¶</a></h2><p>One <a>#</a>", "## Fees\n\nOne #"),
            ("<ul><li><p>One.</p></li><li>Two.</ul>", "- One.\n\n- Two."),
            (
                "<div class='language-sh x'><pre><code>a\n\n\nb</code></pre></div><pre>c</pre>",
                "```sh\na\n\n\nb\n```\n\n```\nc\n```",
            ),
            ("<pre><code class='lang-c'>a</code></pre>", "```c\na\n```"),
            ("<dl><dt>x</dt><dd>Is so:<pre>a</pre></dd></dl>", "- x: Is so:\n\n```\na\n```"),
            ("<ul><li><a>Start</a><li><a>Fees</a><ul><li><a>New</a></ul></ul><p>Text", "Text"),
            ("<p>It has:<ul><li><a>Start</a><li><a>Fees</a></ul>", "It has:\n\n- Start\n- Fees"),
            ("Menu<div role=main><div>One</div>Two</div>Legal", "One\n\nTwo"),
            ("<div role=navigation><div>Menu</div></div><b aria-hidden=true>x</b>Text", "Text"),
            ("<button>Copy<br></button>Text", "Text"),
        ],
    )
    def test_pages_are_written_as_markdown(self, tmp_path, page, text):
        path = tmp_path / "p.html"
        path.write_text(page)
        (found,) = read_documents(path)
        assert "\n".join(" ".join(one.split()) for one in found.text.strip().split("\n")) == text

    @over(
        ("titles", "known"),
        [
            (["Fees - Tarn", "Lamps | low - Tarn", "Tarn"], ["Fees", "Lamps | low", "Tarn"]),
            (["Fees - Tarn", "Lamps - Tarn"], ["Fees - Tarn", "Lamps - Tarn"]),  # or two subjects
            (["A - b", "C - d", "E - f", "G - b"], ["A - b", "C - d", "E - f", "G - b"]),
        ],
    )
    def test_pages_of_a_site_are_called_without_its_name(self, tmp_path, titles, known):
        paths = [tmp_path / f"{n}.html" for n in range(len(titles))]
        for path, title in zip(paths, titles, strict=True):
            path.write_text(f"<title>{title}</title><p>Text.")
        assert [one.title for one in read_documents(paths)] == known

    @over(
        ("text", "title"),
        [
            ("TAR(1)    GNU TAR    TAR(1)\n\nNAME\n    tar", "tar"),
            ("---\nsection: 1\ntitle: npm-ls\n---\n# Synopsis\n", "npm-ls"),
            ("Tar (1) is a tool.\n", ""),
        ],
    )
    def test_the_title_is_what_a_manual_says(self, tmp_path, text, title):
        (tmp_path / "a.txt").write_text(text)
        assert read_documents(tmp_path / "a.txt")[0].title == title

    @over(
        ("given", "said"),
        [
            ("nowhere", "there is no file 'nowhere'"),
            ([{"id": "a"}], "row 1: document 1 is a dict without a text"),
            ([], "there is no text in the documents"),
            (5, "document 1 is a int without a text"),
            ([{"id": "a", "text": "x"}, {"id": "a", "text": "y"}], "two documents are called 'a'"),
        ],
    )
    def test_what_cannot_be_read_is_told(self, given, said):
        with pytest.raises(InputError, match=said):
            read_documents(given)

    def test_files_that_are_no_text_are_told(self, tmp_path):
        (tmp_path / "a.pdf").write_bytes(b"%PDF")
        (tmp_path / "b.txt").write_bytes(b"caf\xe9")
        (tmp_path / "c.csv").write_text("id,size\n1,2\n3,4\n")
        with pytest.raises(InputError, match=r"'\.pdf', which is no known kind of document"):
            read_documents(tmp_path / "a.pdf")
        with pytest.raises(InputError, match="is not UTF-8"):
            read_documents(tmp_path / "b.txt")
        with pytest.raises(
            InputError, match=r"row 1: there is no text in columns id, size"
        ) as raised:
            read_documents(tmp_path / "c.csv")
        assert raised.value.total == 1  # one says it for all rows

    @over(
        "page",
        [
            "<meta charset='iso-8859-1'><p>café – 5 €".encode("cp1252"),
            b"<meta http-equiv=Content-Type content='text/html; charset=windows-1252'>"
            + "<p>café – 5 €".encode("cp1252"),
            "<?xml version='1.0' encoding=\"ISO-8859-15\"?><p>café – 5 €".replace("–", "-").encode(
                "iso8859-15"
            ),
            "<p>café – 5 €".encode("utf-16"),
            "<meta charset=latin1><p>café – 5 €".encode(),  # by mistake
            "\ufeff<meta charset=latin1><p>café – 5 €".encode(),
            "<meta charset=utf-8><p>café – 5 €".encode(),
            "<meta charset=utf-16><p>café – 5 €".encode(),  # which it cannot be
        ],
    )
    def test_a_page_is_read_in_the_charset_that_it_declares(self, tmp_path, page):
        (tmp_path / "a.html").write_bytes(page)
        (found,) = read_documents(tmp_path)
        assert found.text.replace("–", "-").strip() == "café - 5 €"

    def test_a_page_without_a_charset_is_read_as_browsers_do_and_told(self, tmp_path):
        (tmp_path / "a.html").write_bytes("<p>café – 5 €".encode("cp1252"))
        (tmp_path / "b.html").write_bytes("<p>café".encode())
        with pytest.warns(UserWarning, match=r"^read as windows-1252.*: a\.html$"):
            found = read_documents(tmp_path)
        assert [one.text.strip() for one in found] == ["café – 5 €", "café"]

    def test_files_in_other_charsets_are_named_each_whatever_their_kind(self, tmp_path):
        (tmp_path / "a.html").write_bytes("<meta charset=utf-8><p>café".encode("latin-1"))
        (tmp_path / "b.html").write_bytes("<p>café ".encode() + b"\xe9")  # part of it is UTF-8
        (tmp_path / "c.htm").write_bytes(b"<meta charset=klingon-8><p>x")
        (tmp_path / "d.htm").write_bytes(b"<p>no letter: \x81")
        (tmp_path / "e.htm").write_bytes(b"PK\x03\x04\xff")
        for name in ("f.txt", "g.md", "h.rst"):
            (tmp_path / name).write_bytes("café".encode("latin-1"))
        (tmp_path / "i.txt").write_bytes("café".encode("utf-16"))
        (tmp_path / "j.md").write_text("Text.")
        with pytest.raises(InputError) as raised:
            read_documents(tmp_path)
        said = [str(one) for one in raised.value.problems]
        faults = [re.split(" ->|:|,", one.split("'")[2])[0].strip() for one in said]
        assert faults == [
            *("is not UTF-8", "is not UTF-8", "declares the charset"),
            *("is not UTF-8", "is a ZIP archive or an Excel file"),
            *("is not UTF-8", "is not UTF-8", "is not UTF-8", "is UTF-16 text"),
        ]

    def test_what_is_wrong_with_several_paths_is_told_at_once(self, tmp_path):
        for name in ("a.txt", "b.html", "c.txt"):
            (tmp_path / name).write_bytes(b"Text \x81")
        with pytest.raises(InputError) as raised:
            read_documents([tmp_path / "a.txt", tmp_path / "b.html", tmp_path / "nowhere.txt"])
        assert raised.value.total == 3


class TestCutting:
    def test_sections_begin_passages_and_name_them(self):
        text = f"# Fees\n\n{lorem(60)}\n\n## Late\n\n{lorem(60, 'beta')}\n\n# Else\n\n{lorem(40)}"
        found = cut(Document("f.md", text, "Guide"), 80)
        assert [p.title for p in found] == [
            "Guide > Fees",
            "Guide > Fees > Late",
            "Guide > Else",
        ]
        assert [p.id for p in found] == ["f.md#1", "f.md#2", "f.md#3"]

    @pytest.mark.parametrize("fence", ["```", "~~~~"])
    def test_a_comment_in_code_is_no_heading(self, fence):
        code = f"{fence}bash\nls\n\n# remove\n\n{lorem(40)}\n{fence}"
        found = cut(Document("d", f"# Top\n\n{lorem(60)}\n\n{code}\n\n# End #\n\n{lorem(60)}"), 60)
        assert {p.title for p in found} == {"d > Top", "d > End"}

    def test_a_heading_of_many_blanks_is_read_at_once(self):
        text = "# a" + " " * 20_000 + f"x\n\n{lorem(40)}"
        (found,) = cut(Document("d", text), 50)  # took the cube of the blanks
        assert found.title.endswith("x")

    def test_a_paragraph_without_end_is_cut_between_sentences(self):
        found = cut(Document("d", lorem(1000)), 100)
        assert all(p.text.endswith(".") for p in found)
        assert all(len(words(p.text)) <= 125 for p in found)
        assert sum(len(words(p.text)) for p in found) == 1000

    @given(st.text(alphabet="ab .\n#-é漢", max_size=600), st.integers(50, 90))
    def test_every_passage_stands_in_its_document_in_order(self, text, size):
        document = Document("d", text)
        end = 0
        for passage in cut(document, size):
            assert document.text[passage.start : passage.end] == passage.text
            assert passage.start >= end
            assert len(words(passage.text)) >= SHORTEST
            end = passage.end


class TestCorpus:
    def passages(self, *counts):
        return [
            Passage(f"d{d}", n, f"d{d}", lorem(30, f"w{d}x{n}y"), 0, 9)
            for d, count in enumerate(counts)
            for n in range(1, count + 1)
        ]

    @over("seed", range(5))
    def test_passages_are_drawn_evenly_and_each_once_a_round(self, seed):
        corpus = Corpus(self.passages(40, 40, 20))
        order = corpus.evenly(seed)
        first = [next(order) for _ in range(100)]
        assert sorted(first) == list(range(100))
        assert sorted(next(order) for _ in range(100)) == list(range(100))
        documents = [corpus.passages[n].document for n in first[:10]]
        assert 3 <= documents.count("d0") <= 5
        assert 1 <= documents.count("d2") <= 3

    def test_a_partner_is_of_another_document_that_shares_rare_words(self):
        texts = ["The Nordlys sails to Oslo.", "Oslo has trams.", "The Nordlys has a crew of 12."]
        found = [Passage(f"d{n}", 1, "", text, 0, 9) for n, text in enumerate(texts)]
        beside = Passage("d0", 2, "", "The Nordlys sails to Oslo every day.", 0, 9)
        corpus = Corpus([*found, beside])
        assert corpus.partner(0) in (1, 2)
        assert corpus.partner(2) == 0
        assert Corpus([found[0], beside]).partner(0) == 1
        assert Corpus(self.passages(1, 1)).partner(0) is None

    def test_the_nearest_passages_hold_the_rare_words_of_a_text(self):
        texts = ["Refunds take five days.", "Orders ship from Bergen.", "Refunds go to the card."]
        corpus = Corpus([Passage(f"d{n}", 1, "", t, 0, 9) for n, t in enumerate(texts)])
        assert corpus.nearest("When does an order ship?", 2)[0] == 1
        assert corpus.nearest("How are refunds paid?", 3, without=[0]) == [2]
