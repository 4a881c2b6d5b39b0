"""A real Jupyter kernel shows progress, a run and its evidence."""

import pytest

pytestmark = pytest.mark.integrations
pytest.importorskip("nbclient", reason="needs nbclient and ipykernel")

ROWS = """
import assay
rows = [{"id": "t", "question": "When?", "contexts": ["It was built in 1889."],
         "answer": "It was built in 1889. It is red."}]
result = assay.evaluate(rows, ["faithfulness"])
"""


def test_cells_show_progress_result_and_evidence(tmp_path):
    import nbformat
    from nbclient import NotebookClient

    cells = [
        ROWS,
        "result",
        "result.trace('t', 'faithfulness')",
        "await assay.aevaluate(rows, 'faithfulness')",
        "result['faithfulness']",
        "result.compare(assay.evaluate(rows, ['faithfulness'], store='other.db'))",
        "assay.evaluate(rows, ['faithfullness'])",
    ]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in cells])
    NotebookClient(
        book, timeout=120, allow_errors=True, resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    progress, result, trace, _, scores, comparison, wrong = (cell.outputs for cell in book.cells)
    assert "1/1 scores" in progress[-1]["data"]["text/plain"]
    assert "<progress" in progress[-1]["data"]["text/html"]
    assert "faithfulness" in result[0]["data"]["text/html"]
    assert "It is red." in trace[0]["data"]["text/html"]
    assert "(1 supported, 1 unsupported)]" in scores[0]["data"]["text/plain"]
    assert comparison[-1]["data"]["text/plain"].startswith("faithfulness of list in memory")
    # What the user called and what is wrong with it, and none of our own lines.
    assert "assay.evaluate(rows, ['faithfullness'])" in "\n".join(wrong[-1]["traceback"])
    assert wrong[-1]["traceback"][-1].startswith("InputError: no metric is called 'faithfullness'")
    assert len(wrong[-1]["traceback"]) == 2
