"""Data, a scripted judge and expectations that the tests of the command line share."""

import json

JUDGE = ("--judge", "scripted:judge.json")
FAITHFULNESS = ("run", "data.jsonl", "-m", "faithfulness")
ROWS = [
    {
        "id": "tower",
        "question": "When was the tower finished?",
        "contexts": ["The tower was finished in 1889.", "Paris is a city."],
        "answer": "It was finished in 1889. It is made of cheese.",
        "reference": "In 1889.",
    },
    {
        "id": "faust",
        "question": "Who wrote Faust?",
        "contexts": ["Faust was written by Goethe."],
        "answer": "Goethe wrote it. He was an ox.",
        "reference": "Goethe.",
    },
]


def statements(*texts):
    return json.dumps({"statements": [{"text": text, "source": ""} for text in texts]})


def verdicts(**supported):
    items = [
        {"id": i, "reason": "so it is", "context": None, "quote": "", "supported": yes}
        for i, yes in supported.items()
    ]
    return json.dumps({"verdicts": items})


# By words of the material: what the scripted judge says of the two rows.
SCRIPT = {
    "split_statements": {
        "cheese": statements("The tower was finished in 1889.", "It is made of cheese."),
        "ox": statements("Goethe wrote Faust.", "He was an ox."),
    },
    "verify_statements": verdicts(s1=True, s2=False),
}


def write_rows(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return str(path)
