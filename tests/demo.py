"""`make demo`: a class of eight hands in three exercises; nbgrader records what the kit finds.

Everything is real: the course is an ordinary nbgrader course, the submissions are answers from `tests/answers`
typed into the released notebooks, training really runs on two processes. Nothing in the clone is changed.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ANSWERS = HERE / "answers"
STUB = None  # hands in the notebook as it was given out

CLASS: dict[str, dict[str, str | None]] = {
    "01_first_loop": {
        "ada": "right_as_the_story_tells.py",
        "bo": "right_trainer_class.py",
        "chloe": STUB,
        "dev": "wrong_loader_not_prepared.py",
        "eun-ji": "wrong_plain_backward.py",
        "farid": "wrong_two_solo_trainings.py",
        "grace": "wrong_stops_on_its_own_loss.py",  # hangs on one rank
        "hiro": "wrong_raises_on_rank_1.py",
    },
    "02_warmup_schedule": {
        "ada": "right_as_the_story_tells.py",
        "bo": "right_trainer_class.py",
        "chloe": STUB,
        "dev": "wrong_counted_after_prepare.py",
        "eun-ji": "wrong_scheduler_not_prepared.py",
        "farid": "wrong_scheduler_once_an_epoch.py",
        "grace": "wrong_stops_on_its_own_loss.py",  # hangs on one rank
        "hiro": "wrong_raises_on_rank_1.py",
    },
    "03_honest_metrics": {
        "ada": "right_as_the_story_tells.py",
        "bo": "right_trainer_with_decorator.py",
        "chloe": STUB,
        "dev": "wrong_gather.py",
        "eun-ji": "wrong_local_counts.py",
        "farid": "wrong_printed_by_every_rank.py",
        "grace": "wrong_gathered_on_main_only.py",  # hangs on one rank
        "hiro": "wrong_raises_on_rank_1.py",
    },
}


def nbgrader(course: Path, *words: str) -> None:
    """Run a stock nbgrader command in the course."""
    print(f"$ nbgrader {' '.join(words)}", flush=True)
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", *words], cwd=course, capture_output=True, text=True
    )
    if done.returncode:
        sys.exit(f"demo: nbgrader {' '.join(words)} failed:\n{done.stderr[-2000:]}")


def looplift(*words: str) -> int:
    """Run one of our commands, its progress shown."""
    print(f"$ looplift {' '.join(words)}", flush=True)
    return subprocess.run([sys.executable, "-m", "looplift", *words]).returncode


def hand_in(course: Path, lesson: str, student: str, answer: str | None) -> None:
    """Type an answer into the released notebook and put it where students' work goes."""
    notebook = json.loads((course / "release" / lesson / "exercise.ipynb").read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "answer" and answer is not None:
            cell["source"] = (ANSWERS / lesson / answer).read_text(encoding="utf-8")
    folder = course / "submitted" / student / lesson
    folder.mkdir(parents=True)
    (folder / "exercise.ipynb").write_text(json.dumps(notebook), encoding="utf-8")


def main() -> int:
    course = Path(tempfile.mkdtemp(prefix="looplift-demo-")) / "course"
    if looplift("course", str(course)) != 0:
        return 2
    count = 0
    for lesson, answers in CLASS.items():
        nbgrader(course, "generate_assignment", lesson)
        for student, answer in answers.items():
            hand_in(course, lesson, student, answer)
            count += 1
    print(f"{count} submissions by {len(CLASS['01_first_loop'])} students are handed in.", flush=True)
    code = looplift("grade", str(course))
    if code not in (0, 1):
        return code
    pages = sorted((course / "feedback").glob("*/*/*.html"))
    print("\nFeedback pages:")
    for page in pages:
        print(f"  {page}")
    print(f"Gradebook (nbgrader's own, SQLite): {course / 'gradebook.db'}")
    return 0 if len(pages) == count else 1


if __name__ == "__main__":
    sys.exit(main())
