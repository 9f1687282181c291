"""A page loads MathJax only when its text has a formula."""

from __future__ import annotations

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from looplift.classroom.offline import OfflineExporter, has_formula

FORMULAS = ("the loss is $x^2$", "$$\nx\n$$", r"\(x\)", r"\[x\]", r"\begin{align}x\end{align}")
NONE = ("costs 5 $", "`$HOME` and `$PATH`", "```\n$a$\n```", "no formula")


@pytest.mark.parametrize("text", FORMULAS)
def test_a_formula_is_seen_and_its_page_loads_mathjax(text: str) -> None:
    notebook = new_notebook(cells=[new_markdown_cell(text)])
    assert has_formula(notebook)
    page, _ = OfflineExporter(template_name="classic").from_notebook_node(notebook)
    assert "mathjax" in page and "init_mathjax" in page


@pytest.mark.parametrize("text", NONE)
def test_a_page_without_a_formula_names_no_address_to_load_from(text: str) -> None:
    notebook = new_notebook(cells=[new_markdown_cell(text), new_code_cell("cost = '$a$'")])
    assert not has_formula(notebook)
    exporter = OfflineExporter(template_name="classic", require_js_url="", jquery_url="")
    page, _ = exporter.from_notebook_node(notebook)
    assert "mathjax/" not in page and "init_mathjax" not in page
