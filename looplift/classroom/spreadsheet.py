"""Text from strangers in a table that a spreadsheet will open."""

from __future__ import annotations

from looplift.verdict.text import visible

# What Excel, Calc and Sheets read as the beginning of a formula, full-width characters included.
_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def harmless(text: str) -> str:
    """The text in one line, with an apostrophe before what a spreadsheet would run as a formula.

    The apostrophe says to a spreadsheet that a cell holds text. Blanks in front do not hide a formula.
    """
    flat = visible(text)
    bare = flat.strip()
    return (
        f"'{flat}" if len(bare) > 1 and bare.startswith(_FORMULA) else flat
    )  # a lone sign stands for nothing
