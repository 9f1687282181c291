"""`looplift build --check`: does each lesson hold together, before a student opens it?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from looplift.build.answers import answers_of, check_counts, check_heads
from looplift.build.course import COURSE, check_course
from looplift.build.crew import Lost, done
from looplift.build.exercise import check_exercise, graded_tests
from looplift.build.files import check_files
from looplift.build.judging import check_answer, check_solution, check_stub
from looplift.build.pair import check_pair
from looplift.build.problem import Problem
from looplift.build.proof import check_proof
from looplift.build.story import check_freshness, check_story
from looplift.build.unwritten import check_written
from looplift.lesson import Lesson, LessonError

Tell = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Checked:
    """What was found wrong with a lesson, in the order in which to mend it. answers: how many were judged."""

    name: str
    problems: tuple[Problem, ...]
    answers: int = 0


@dataclass(frozen=True)
class Task:
    """One thing to look at. about: what, in a few words. judges: whether it judges an answer on file."""

    name: str
    about: str
    run: Callable[[], list[Problem]]
    judges: bool = False


def check_lesson(lesson: Lesson) -> list[Problem]:
    """What can be seen without running any training, in the order in which to mend it.

    Needs a clone, for the exercise's source: raises LessonError in an installed wheel.
    """
    return _unique([problem for task in tasks_of(lesson, training=False) for problem in _outcome(task)])


def check_lessons(
    lessons: Sequence[Lesson],
    training: bool = True,
    whole: bool = False,
    hands: int = 1,
    tell: Tell = lambda done, total, about: None,
) -> Iterator[Checked]:
    """Each lesson in the order of the course, as soon as all of it has been looked at.

    training: run the pair, the stub, the solution and the answers too. whole: also what belongs to no single lesson.
    hands: how many processes. tell: told how many tasks of how many are done, and what the last one was.
    Raises LessonError in an installed wheel.
    """
    tasks = [task for lesson in lessons for task in tasks_of(lesson, training)]
    if whole:
        tasks.insert(0, Task(COURSE, "folders and links", partial(check_course, tuple(lessons))))
    names = [*([COURSE] if whole else []), *(lesson.name for lesson in lessons)]
    found: dict[int, list[Problem]] = {}
    for number, came in done([task.run for task in tasks], hands):
        found[number] = _problems(tasks[number], came)
        tell(len(found), len(tasks), f"{tasks[number].name}: {tasks[number].about}")
        while names and (ready := _checked(names[0], tasks, found)):
            yield ready
            names.pop(0)


def tasks_of(lesson: Lesson, training: bool) -> list[Task]:
    """Everything to look at in a lesson, in the order in which its problems are to be mended."""

    def task(about: str, check: Callable[[Lesson], list[Problem]]) -> Task:
        return Task(lesson.name, about, partial(check, lesson))

    problems = check_files(lesson)
    tasks = [Task(lesson.name, "files", lambda: problems), task("before.py and after.py", check_pair)]
    broken = {problem.where.split(",")[0].rsplit("/", 1)[-1] for problem in problems}
    if training and not broken & {"task.py", "before.py", "after.py"}:
        tasks.append(task("the pair runs", check_proof))
    tasks += [task("exercise.ipynb", _exercise), task("the story", check_story)]
    if training and _readable(lesson) and lesson.graded.name not in broken:
        tasks += [task("the stub", check_stub), task("the model solution", check_solution)]
        tasks += [
            Task(lesson.name, answer.path.name, partial(check_answer, lesson, answer), judges=True)
            for answer in answers_of(lesson)
        ]
    return [*tasks, task("what is unwritten", check_written), task("the answers' heads", _answers)]


def _exercise(lesson: Lesson) -> list[Problem]:
    problems = check_freshness(lesson)
    if not lesson.exercise.is_file():
        return problems  # told with the files
    if _readable(lesson):
        return [*problems, *check_exercise(lesson)]
    step = f"Run `looplift build {lesson.number}`."
    return [*problems, Problem(lesson.name, "exercise.ipynb is not a notebook", "exercise.ipynb", step)]


def _answers(lesson: Lesson) -> list[Problem]:
    try:
        checks = list(graded_tests(lesson))
    except (Exception, SystemExit):  # told with the exercise, which asks for them too
        checks = []
    return [*check_heads(lesson), *check_counts(lesson, checks)]


def _readable(lesson: Lesson) -> bool:
    """Whether the exercise is a notebook at all; if not, that is told once, and nothing is judged."""
    try:
        return lesson.exercise.is_file() and bool(lesson.notebook["cells"])
    except (LessonError, KeyError, TypeError):
        return False


def _outcome(task: Task) -> list[Problem]:
    try:
        return task.run()
    except LessonError:
        raise
    except (Exception, SystemExit) as error:
        return _problems(task, Lost(f"{type(error).__name__}: {error}".rstrip(": ")))


def _problems(task: Task, came: list[Problem] | Lost) -> list[Problem]:
    if not isinstance(came, Lost):
        return came
    what = f"this could not be looked at: {' '.join(came.why.split())}"
    return [Problem(task.name, what, task.about, "Mend the file that it is about, or try again.")]


def _checked(name: str, tasks: Sequence[Task], found: dict[int, list[Problem]]) -> Checked | None:
    """All about one lesson, None while something is still to be done."""
    mine = [number for number, task in enumerate(tasks) if task.name == name]
    if any(number not in found for number in mine):
        return None
    problems = _unique([problem for number in mine for problem in found[number]])
    return Checked(name, tuple(problems), sum(tasks[number].judges for number in mine))


def _unique(problems: list[Problem]) -> list[Problem]:
    """Each problem once: a lesson that cannot be judged says so for every answer."""
    return list(dict.fromkeys(problems))
