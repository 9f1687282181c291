"""Feedback pages that ask for nothing on the network, unless a student or an instructor wrote a formula."""

from __future__ import annotations

import re
from typing import Any

from nbconvert.exporters import HTMLExporter
from nbformat import NotebookNode

# nbgrader's template writes nbconvert's `mathjax` macro into every page: a loader and its settings.
_MATHJAX = re.compile(
    r"<!-- Load mathjax -->.*?<!-- End of mathjax configuration -->|<!-- Loading mathjax macro -->", re.DOTALL
)
_FORMULA = re.compile(r"\$[^$\n]+\$|\$\$|\\\(|\\\[|\\begin\{")
_CODE = re.compile(r"(`+).*?\1", re.DOTALL)


class OfflineExporter(HTMLExporter):
    """nbconvert's HTML exporter; MathJax is loaded only by a page that has a formula in its text.

    Set as `c.GenerateFeedback.exporter_class`. With it a page of a lesson opens without a network, and nobody
    outside learns who reads it. A course of another kind, with formulas, is shown as ever.
    """

    def from_notebook_node(self, nb: NotebookNode, resources: Any = None, **kw: Any) -> tuple[str, Any]:  # type: ignore[override]
        page, resources = super().from_notebook_node(nb, resources=resources, **kw)
        return (page if has_formula(nb) else _MATHJAX.sub("", page)), resources


def has_formula(notebook: NotebookNode) -> bool:
    """True when a text cell has something that MathJax sets as a formula; code in backticks does not count."""
    return any(
        cell.cell_type == "markdown" and _FORMULA.search(_CODE.sub("", cell.source))
        for cell in notebook.cells
    )
