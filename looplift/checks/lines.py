"""What the text says about a line: the loop or `if` it stands in, where a function begins, where it is called.

Behaviour has judged by then. The syntax tree only finds the line to show.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from looplift.submission import Cell, Submission
from looplift.verdict import Place

Function = (ast.FunctionDef, ast.AsyncFunctionDef)
# Words in the condition of an `if` that only some ranks enter.
OF_A_RANK = {"is_main_process", "is_local_main_process", "is_last_process", "process_index", "local_process_index",
             "rank", "get_rank", "local_rank"}  # fmt: skip
ENDS_PROCESS = {"_exit", "abort", "kill", "killpg", "raise_signal"}


def name_of(function: ast.expr) -> str:
    """The last name of what is called: `step` in `self.optimizer.step()`."""
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _cell_at(submission: Submission, place: Place) -> Cell | None:
    for cell in submission.written:
        length = cell.source.count("\n") + 1
        if cell.number == place.cell and cell.first_line < place.line <= cell.first_line + length:
            return cell
    return None


def _around(submission: Submission, place: Place) -> Iterator[ast.AST]:
    """The syntax nodes that span a line, the outermost first."""
    cell = _cell_at(submission, place)
    if cell is not None and cell.tree is not None:
        for node in ast.walk(cell.tree):
            if getattr(node, "lineno", place.line + 1) <= place.line <= (getattr(node, "end_lineno", 0) or 0):
                yield node


def definition(submission: Submission, name: str) -> Place | None:
    """The line on which a function of this name begins, the last one when there are several."""
    found = None
    for cell, node in submission.nodes():
        if isinstance(node, Function) and node.name == name:
            found = submission.place_of(cell, node)
    return found


def inside_function(submission: Submission, place: Place) -> bool:
    """True when a line stands in a function or method."""
    return any(isinstance(node, Function) and node.lineno < place.line for node in _around(submission, place))


def top_level_call(submission: Submission, name: str) -> tuple[Place | None, bool] | None:
    """The line outside all functions that calls `name`, and whether the call is an argument of notebook_launcher."""
    for cell in submission.written:
        for statement in cell.tree.body if cell.tree else []:
            if isinstance(statement, (*Function, ast.ClassDef)):
                continue
            calls = [node for node in ast.walk(statement) if isinstance(node, ast.Call)]
            for call in calls:
                if name_of(call.func) == name:
                    launched = any(
                        name_of(it.func) == "notebook_launcher"
                        and call in [*it.args, *(k.value for k in it.keywords)]
                        for it in calls
                    )
                    return submission.place_of(cell, call), launched
    return None


def line_of_call(submission: Submission, name: str) -> Place | None:
    """The first line that calls something of this name, such as `set_seed`."""
    for cell, node in submission.nodes():
        if isinstance(node, ast.Call) and name_of(node.func) == name:
            return submission.place_of(cell, node)
    return None


def while_around(submission: Submission, place: Place) -> Place | None:
    """The innermost `while` that a line stands in."""
    cell = _cell_at(submission, place)
    loops = [node for node in _around(submission, place) if isinstance(node, ast.While)]
    return submission.place_of(cell, loops[-1]) if cell is not None and loops else None


def in_branch_of_a_rank(submission: Submission, place: Place) -> bool:
    """True when a line stands in an `if` that asks which process this is."""
    tests = (node.test for node in _around(submission, place) if isinstance(node, (ast.If, ast.IfExp)))
    return any(
        name_of(it) in OF_A_RANK for test in tests for it in ast.walk(test) if isinstance(it, ast.expr)
    )


def in_turns(submission: Submission, place: Place) -> bool:
    """True when a line stands in a `with` that one process enters after the other."""
    around = (node for node in _around(submission, place) if isinstance(node, ast.With))
    calls = (it.context_expr for node in around if node.lineno < place.line for it in node.items)
    return any(isinstance(it, ast.Call) and name_of(it.func).endswith("main_process_first") for it in calls)


def early_exits(submission: Submission) -> list[Place]:
    """Lines that leave a loop or skip a batch on a condition: `break`, `continue` or `return` under an `if`."""
    found: list[Place] = []
    for cell, node in submission.nodes():
        if not isinstance(node, (ast.For, ast.While)):
            continue
        for inner in ast.walk(node):
            if isinstance(inner, ast.If):
                for it in (*inner.body, *inner.orelse):
                    place = submission.place_of(cell, it)
                    if isinstance(it, (ast.Break, ast.Continue, ast.Return)) and place and place not in found:
                        found.append(place)
    return found


def sure_exit(submission: Submission) -> Place | None:
    """A `break` or `return` in a loop that the first round always reaches, as when it stands one level too deep."""
    for cell, node in submission.nodes():
        if isinstance(node, (ast.For, ast.While)):
            for it in node.body:
                if isinstance(it, (ast.Break, ast.Return)):
                    return submission.place_of(cell, it)
    return None


def outer_loop(submission: Submission, place: Place) -> Place | None:
    """The outermost `for` or `while` that a line stands in."""
    cell = _cell_at(submission, place)
    loops = [node for node in _around(submission, place) if isinstance(node, (ast.For, ast.While))]
    return submission.place_of(cell, loops[0]) if cell is not None and loops else None


def argument(submission: Submission, name: str) -> Place | None:
    """The line of the first call that is given an argument by this name, such as `lr=`."""
    for cell, node in submission.nodes():
        if isinstance(node, ast.keyword) and node.arg == name:
            return submission.place_of(cell, node)
    return None


def result_dropped(submission: Submission, place: Place) -> bool:
    """True when a line is a call that stands alone: nothing is done with what it gives back."""
    return any(
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) for node in _around(submission, place)
    )


def process_end(submission: Submission) -> Place | None:
    """The line that ends its process: `os._exit`, `os.kill` and their like."""
    for cell, node in submission.nodes():
        if isinstance(node, ast.Call) and name_of(node.func) in ENDS_PROCESS:
            return submission.place_of(cell, node)
    return None


def mention(submission: Submission, text: str) -> Place | None:
    """The first line that has a text in it, outside comments."""
    for cell in submission.written:
        for index, line in enumerate(cell.source.splitlines()):
            if text in line.split("#")[0]:
                return submission.place(cell.name, cell.first_line + index + 1)
    return None
