"""Are the blocks of a page run that can be, and is what needs more left as it was?"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "docs"))

from generate import filled
from snippets import blocks, run

PAGE = """
<!-- needs: a_library_that_is_not_there -->
```python
import a_library_that_is_not_there
```

<!-- generated: output -->
```text
as it was
```
<!-- end -->

```python
print("made")
```

<!-- generated: output -->
```text
stale
```
<!-- end -->
"""


def test_a_block_that_needs_what_is_not_installed_is_not_run_and_its_output_stays(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(PAGE, "utf-8")
    (tmp_path / "in").mkdir()
    made = filled(PAGE, list(run(page, tmp_path / "in")))
    assert made == PAGE.replace("stale", "made")


def test_what_differs_from_run_to_run_stays_as_it_was():
    page = "```python\n```\n\n<!-- generated: output -->\n```text\n{}\n```\n<!-- end -->\n"
    old = page.format("asked 20, 1.5 s\nmean 0.61\none")
    (block,) = [one for one in blocks(old) if one.runs]
    assert filled(old, [(block, "asked 20, 31 s\nmean 0.62\none\n")]) == old
    changed = filled(old, [(block, "asked 20, 31 s\nmean 0.75\none\n")])
    assert changed == page.format("asked 20, 1.5 s\nmean 0.75\none")
