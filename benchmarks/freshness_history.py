"""Does `check_freshness` tell what the edits of assay's own pages did? All read one by one.

    python -m benchmarks.freshness_history [--later] [--wrong] [--read]

Of each commit that changed docs/, in a drawn order, one sentence of prose that is no longer there
word for word is a question's reference; then a second one. `TRUTH` holds what reading said:
(i)nvalidated, as what it says is gone or another thing is said; (d)rifted, as it is said in other
words or with an addition; (v)alid, as it stands there or on another changed page but for its form.
One reader judged, by the old sentence and the one that `check_freshness` put beside it or, where it
put none, the nearest one; its verdict was not shown, but an empty place beside a sentence hints at
one, and nine labels were set right after three verdicts had shown what that may mean. `LATER_TRUTH`
is of later commits, read before any verdict on them was made, by a reader who knew the rules.
"""

import argparse
import random
import subprocess
from collections import Counter
from collections.abc import Iterator

from assay._text.words import content_words
from assay.testset import Document, QuestionFreshness, check_freshness
from benchmarks.data import ROOT
from benchmarks.freshness import Place, places

# The commits that are looked at: until here while the rules were made, then until there.
LAST, LATER = "706d6433", "706d6433..e8dd4a17"
SEED = 5
TRUTH = (
    "idddvidddivdidididiidiiididididdidddiiddidiiddiddi"
    "didididdvididdidvviddidiidddddiidiidvdddiddididddd"
)
LATER_TRUTH = "iiiddiiiidiiididiiiiididiididiidddiiiiidiiddidi"
STATES = {"i": "invalidated", "d": "drifted", "v": "valid"}


def git(*arguments: str) -> str:
    found = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, check=False)
    return found.stdout.decode(errors="replace")


def edits(span: str) -> Iterator[tuple[str, Place, list[Document], list[Document]]]:
    """Commit, a sentence that it changed, and the changed pages before and after."""
    chance = random.Random(SEED)
    commits = git("log", "--no-merges", "--format=%h", span, "--", "docs").split()
    chance.shuffle(commits)
    left = list[tuple[str, list[Place], list[Document], list[Document]]]()
    for commit in commits:
        changed = (
            "diff",
            "--name-only",
            "--diff-filter=M",
            f"{commit}^",
            commit,
            "--",
            "docs/*.md",
        )
        names, ends = git(*changed).split(), (f"{commit}^", commit)
        pages = [[Document(n, git("show", f"{at}:{n}")) for n in names] for at in ends]
        whole = " ".join(" ".join(page.text for page in pages[1]).split())
        among = [place for page in pages[0] for place in places(page)]
        lost = [place for place in among if " ".join(place.text.split()) not in whole]
        if lost:
            place = chance.choice(lost)
            yield commit, place, pages[0], pages[1]
            left.append((commit, [other for other in lost if other != place], pages[0], pages[1]))
    for commit, others, before, after in left:
        if others:
            yield commit, chance.choice(others), before, after


def found(commits: str, n: int) -> Iterator[tuple[str, str, QuestionFreshness]]:
    """Commit, sentence, and what was told of it."""
    for number, (commit, place, before, after) in zip(range(n), edits(commits), strict=False):
        said = " ".join(place.text.split())
        question = f"What holds for {' '.join(content_words(said)[:4])}?"
        row = {"id": f"{number}", "question": question, "reference": said}
        yield commit, said, check_freshness([row], before=before, after=after).questions[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--wrong", action="store_true", help="print what was told wrongly")
    parser.add_argument("--read", action="store_true", help="print all, without what was told")
    parser.add_argument("--later", action="store_true", help="commits the rules were not made on")
    options = parser.parse_args()
    commits, truth = (LATER, LATER_TRUTH) if options.later else (LAST, TRUTH)
    pairs = Counter[tuple[str, str]]()
    for (commit, said, each), letter in zip(found(commits, len(truth)), truth, strict=True):
        true = STATES[letter]
        pairs[true, each.state] += 1
        if options.read or (options.wrong and true != each.state):
            told = "" if options.read else f" told {each.state}, is {true}: {each.reason}"
            print(f"{each.id} {commit}{told}\n  - {said}\n  + {each.after}")
    print("| state | questions | precision | recall |\n|---|---:|---:|---:|")
    for state in STATES.values():
        right = pairs[state, state]
        true_, told_ = (sum(n for p, n in pairs.items() if p[k] == state) for k in (0, 1))
        print(f"| {state} | {true_} | {right}/{told_} | {right}/{true_} |")


if __name__ == "__main__":
    main()
