"""Python code as HTML: coloured by what each word is, changed words in <mark>."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from html import escape
from itertools import groupby
from typing import NamedTuple

from pygments.lexers.python import PythonLexer
from pygments.token import Token, _TokenType

from looplift.diff.words import Span

# Six colours are enough to read by, and few enough to keep readable on every background: see style.py.
_CLASSES: tuple[tuple[_TokenType, str], ...] = (
    (Token.Comment, "c"),
    (Token.Keyword, "k"),
    (Token.Operator.Word, "k"),
    (Token.Literal.String, "s"),
    (Token.Literal.Number, "n"),
    (Token.Name.Function, "d"),
    (Token.Name.Class, "d"),
    (Token.Name.Builtin, "b"),
    (Token.Name.Decorator, "b"),
)
_BREAKS = ("(", "[", ".", ",")  # a line too long for its cell breaks after these, not inside a name


class Piece(NamedTuple):
    """Some text of one line in one colour; `tone` is a CSS class, "" for plain text."""

    tone: str
    text: str


def coloured(lines: Sequence[str]) -> list[list[Piece]]:
    """The pieces of each line of a program. The whole is read at once: a string may span lines."""
    return _coloured("\n".join(lines))


@lru_cache(maxsize=64)  # what one step leads to is where the next one starts
def _coloured(program: str) -> list[list[Piece]]:
    found: list[list[Piece]] = [[]]
    lexer = PythonLexer(stripnl=False, ensurenl=False)
    for token, text in lexer.get_tokens(program):
        first, *rest = text.split("\n")
        found[-1].append(Piece(_tone(token), first))
        found += [[Piece(_tone(token), line)] for line in rest]
    return found


def line_html(pieces: Sequence[Piece], marks: Sequence[Span] = ()) -> str:
    """One line as HTML, with everything escaped and the marked characters in <mark>."""
    html = ""
    for marked, group in groupby(_cut(pieces, marks), key=lambda it: it[1]):
        inside = "".join(_piece_html(piece) for piece, _ in group)
        html += f"<mark>{inside}</mark>" if marked else inside
    return html


def _cut(pieces: Sequence[Piece], marks: Sequence[Span]) -> Iterator[tuple[Piece, bool]]:
    """The pieces, cut where a mark starts or ends, each with whether it is marked."""
    edges = sorted({edge for mark in marks for edge in mark})
    at = 0
    for tone, text in pieces:
        end = at + len(text)
        stops = [at, *(edge for edge in edges if at < edge < end), end]
        for start, stop in zip(stops, stops[1:], strict=False):
            if start < stop:
                marked = any(mark.start <= start < mark.end for mark in marks)
                yield Piece(tone, text[start - at : stop - at]), marked
        at = end


def _piece_html(piece: Piece) -> str:
    text = escape(piece.text, quote=False)
    if piece.tone:
        return f'<span class="{piece.tone}">{text}</span>'
    return f"{text}<wbr>" if text.endswith(_BREAKS) else text


def _tone(token: _TokenType) -> str:
    return next((tone for kind, tone in _CLASSES if token in kind), "")
