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
    ]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in cells])
    NotebookClient(book, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    progress, result, trace, _ = (cell.outputs for cell in book.cells)
    assert "1/1 scores" in progress[-1]["data"]["text/plain"]
    assert "<progress" in progress[-1]["data"]["text/html"]
    assert "faithfulness" in result[0]["data"]["text/html"]
    assert "It is red." in trace[0]["data"]["text/html"]
