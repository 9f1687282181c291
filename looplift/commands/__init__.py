"""The commands, each in a module of its own; `looplift` alone is `looplift status`."""

from __future__ import annotations

import sys

import typer

from looplift import __version__
from looplift.commands import (
    build,
    cell,
    check,
    course,
    diff,
    doctor,
    explain,
    grade,
    hint,
    inspecting,
    listing,
    newlesson,
    next,
    report,
    reset,
    site,
    solution,
    start,
    status,
    watch,
)
from looplift.commands.console import never_fail

app = typer.Typer(
    name="looplift",
    help="A course kit: refactor a plain PyTorch loop to Hugging Face Accelerate and be graded on two real processes.",
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for room in (
    start,
    status,
    listing,
    next,
    watch,
    check,
    hint,
    explain,
    inspecting,
    diff,
    reset,
    solution,
    build,
    newlesson,
    course,
    grade,
    report,
    site,
    doctor,
    cell,
):
    room.add(app)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"looplift {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version."
    ),
) -> None:
    if context.invoked_subcommand is None:
        status.show_status()


def main() -> None:
    """Run a command. Exit code 0: all passed, 1: something to mend, 2: cannot run."""
    never_fail(sys.stdout, sys.stderr)
    try:
        app()
    except KeyboardInterrupt:
        sys.stderr.write("looplift: stopped; nothing that it started is left running.\n")
        sys.exit(130)
