"""While a loop is judged, one bar says how far all of its processes have come together."""

from __future__ import annotations

from pathlib import Path

from looplift.evidence.share import Share
from looplift.hidden.plan import Plan, Sizes
from looplift.judge import Case, judge_apart, warm
from looplift.lesson import find_lesson, solutions_folder
from looplift.notebook.bar import going_on
from looplift.submission import read_submission

PLAN = Plan("training_loop", 2, Sizes(seed=1, batch_size=4, epochs=2, train_rows=50, eval_rows=10))


def drawn(rows: int, rank: int, part: str = "train", phase: str = "loop") -> dict[str, object]:
    return {"kind": "batch", "part": part, "phase": phase, "rank": rank, "ids": list(range(rows))}


def test_the_rows_of_all_ranks_and_epochs_count_together() -> None:
    said: list[str] = []
    share = Share("training_loop on 2 processes", PLAN, said.append)
    share([drawn(10, 0), drawn(10, 1)])
    share([drawn(2, 0)])  # less than a step
    share([drawn(30, 0, part="eval"), drawn(30, 0, phase="load"), {"kind": "step"}])
    share([drawn(28, 0), drawn(30, 1)])
    share([drawn(50, 0)])
    assert said == [f"training_loop on 2 processes: {it} %" for it in (20, 80, 100)]


def test_a_bar_is_shown_as_html_and_as_text() -> None:
    assert going_on("training_loop on 2 processes: 45 %") == {
        "text/plain": "running training_loop on 2 processes  [#########-----------] 45 %",
        "text/html": "<label>running training_loop on 2 processes "
        '<progress max="100" value="45">45 %</progress> 45 %</label>',
    }
    assert going_on("the plain loop to compare with") == {
        "text/plain": "running the plain loop to compare with ..."
    }


def test_a_real_run_tells_how_far_it_is(tmp_path: Path) -> None:
    lesson = find_lesson("01")
    warm(lesson)
    source = (solutions_folder() / lesson.name / "exercise.py").read_text(encoding="utf-8")
    slow = "    for epoch in range(epochs):\n        import time; time.sleep(0.6)\n"
    # the answer cell comes last, after the plain loop
    at = source.rindex("    for epoch in range(epochs):\n")
    changed = source[:at] + slow + source[at:].split("\n", 1)[1]
    path = tmp_path / "exercise.py"
    path.write_text(changed, encoding="utf-8")
    said: list[str] = []
    verdict = judge_apart(Case(lesson, lambda: read_submission(path, lesson), path.name), said.append)
    assert verdict.passed
    percents = [
        int(it.split(": ")[1].rstrip(" %")) for it in said if it.startswith("training_loop on 2 processes: ")
    ]
    assert percents and percents == sorted(percents) and percents[0] < 100
