"""The stages as HTML: all below one another, or one at a time where a script may run."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from looplift.diff.document import document, stage_script
from looplift.diff.stages import Stage
from looplift.diff.table import table_html


def stage_page(title: str, stages: Sequence[Stage], home: str = "") -> str:
    """One page that needs nothing else. The arrow keys go forward and back; #stage-3 opens the third step.

    home: address of a page to go back to, when there is one.
    """
    back = f'<p class="back"><a href="{escape(home)}">Back to the lesson</a></p>\n' if home else ""
    return document(
        f"{title}: one step at a time",
        header=f"{back}<h1>{escape(title)}: one step at a time</h1>",
        main=stages_html(stages),
        script=stage_script(),
    )


def stages_html(stages: Sequence[Stage], level: int = 2) -> str:
    """The stages as a part of a page that runs stage_script. level: of their headings."""
    return (
        '<section class="looplift-stages" aria-label="The refactoring, one step at a time">\n'
        '<div class="stage-controls" role="group" aria-label="Steps" hidden>\n'
        '<button type="button" id="previous-stage">Previous</button>\n'
        '<button type="button" id="next-stage">Next</button>\n'
        '<span class="keys">or the arrow keys, left and right</span>\n'
        '<div class="stage-now" role="status"><strong id="stage-number"></strong> '
        '<span id="stage-sentence"></span></div>\n'
        "</div>\n" + "\n".join(_stage(stage, level) for stage in stages) + "\n</section>"
    )


def _stage(stage: Stage, level: int) -> str:
    name = f"stage-{stage.number}"
    return (
        f'<section class="stage" id="{name}" aria-labelledby="{name}-title">\n<div class="stage-head">\n'
        f'<h{level} class="stage-title" id="{name}-title">{escape(stage.heading)}</h{level}>\n'
        f'<p class="stage-note">{escape(stage.sentence)}</p>\n</div>\n'
        f'<div class="looplift-diff">\n{table_html(stage.diff, linked=False)}\n</div>\n</section>'
    )
