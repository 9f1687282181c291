"""`looplift cell`: the first cell of a notebook in Colab or Kaggle."""

from __future__ import annotations

import typer

# Only magics: they are taken out before anything is judged, so the cell never runs in a check.
# `start .` adds what is missing and overwrites nothing, so the cell can be run again.
CELL = """\
# looplift: run this cell first, and again in each new session.
%pip install --quiet looplift
!looplift start .
"""


def add(app: typer.Typer) -> None:
    @app.command()
    def cell() -> None:
        """Print the first cell for Colab or Kaggle: it installs looplift and the lessons. Example: looplift cell

        Put it at the top of an exercise, or in an empty notebook. The lessons' files then lie beside the notebook.
        """
        print(CELL, end="")
