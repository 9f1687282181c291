"""Write the course's sentences: pairs that agree or not, and short product reviews.

    python data/write_texts.py            writes data/pairs, data/reviews and data/vocabulary.txt
    python data/write_texts.py FOLDER     writes them under FOLDER instead

Every phrase in `phrases.py` was written for this course; this program only puts them together. Everything random
comes from `random.Random` with a fixed seed, so a second run writes the same bytes.

pairs: two reports of one event. Label 1: they say the same; label 0: one says that it took place and the other that
it did not. Neither sentence alone tells anything about the label. reviews: label 1 is a happy buyer, 0 an unhappy one.
Validation has 203 rows, which no usual batch size divides.
"""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

import phrases

TRAIN, VALIDATION = 960, 203

Row = dict[str, str | int]


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:] + "."


def _report(event: tuple[str, ...], happened: bool, when: str, rng: Random) -> str:
    """One sentence that says whether the event took place; it may or may not say when."""
    words = f"{rng.choice(event)} {rng.choice(phrases.HAPPENED if happened else phrases.CANCELLED)}"
    place = rng.choice(("front", "end", "none"))
    if place == "end":
        words = f"{words} {when}"
    source = rng.choice(phrases.SOURCES)
    if place == "front" and not source:
        return _sentence(f"{when} {words}")
    return _sentence(f"{source} {words}".strip())


def write_pair(label: int, rng: Random) -> Row:
    """Two different sentences about one event."""
    event, when, happened = rng.choice(phrases.EVENTS), rng.choice(phrases.TIMES), rng.random() < 0.5
    first = second = _report(event, happened, when, rng)
    while second == first:
        second = _report(event, happened == bool(label), when, rng)
    return {"sentence1": first, "sentence2": second, "label": label}


def write_review(label: int, rng: Random) -> Row:
    """One to three short sentences about a product and one of its parts."""
    product, parts = rng.choice(phrases.PRODUCTS)
    opinions, verdicts, turns = (
        (phrases.PRAISE, phrases.HAPPY_END, phrases.HAPPY_TURN)
        if label
        else (phrases.COMPLAINT, phrases.UNHAPPY_END, phrases.UNHAPPY_TURN)
    )
    fill = {
        "product": product,
        "part": rng.choice(parts),
        "time": rng.choice(phrases.SPANS),
        "who": rng.choice(phrases.WHO),
    }
    opinion = rng.choice(opinions)
    shape = rng.choice(
        ("opinion end", "opening opinion", "opening opinion end", "turn", "opening turn", "turn end")
    )
    said = {
        "opening": rng.choice(phrases.OPENINGS),
        "opinion": opinion,
        "turn": f"{rng.choice(turns)}, but {opinion}",
        "end": rng.choice(verdicts),
    }
    text = " ".join(_sentence(said[part].format(**fill)) for part in shape.split())
    return {"text": text, "label": label}


def _texts(row: Row) -> list[str]:
    return [str(value) for name, value in row.items() if name != "label"]


def write_rows(write: Callable[[int, Random], Row], seed: str) -> tuple[list[Row], list[Row]]:
    """(train, validation) rows. No row occurs twice, and no validation text occurs in train; labels alternate by
    chance and are balanced to a row."""
    rng, seen, splits = Random(seed), set[str](), []
    for size in (TRAIN, VALIDATION):
        known, rows = set(seen), list[Row]()
        while len(rows) < size:
            row = write(len(rows) % 2, rng)
            texts = _texts(row)
            if " | ".join(texts) in seen or known.intersection(texts):
                continue
            seen.update(texts, [" | ".join(texts), " | ".join(reversed(texts))])
            rows.append(row)
        rng.shuffle(rows)
        splits.append(rows)
    return splits[0], splits[1]


def write_csv(file: Path, rows: list[Row]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", encoding="utf-8", newline="") as out:
        table = csv.DictWriter(out, fieldnames=list(rows[0]), lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


def write_jsonl(file: Path, rows: list[Row]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8", newline="\n")


def write_texts(folder: Path) -> None:
    """Write pairs, reviews and the words of both under `folder`."""
    words: set[str] = set()
    for name, write, save, suffix in (
        ("pairs", write_pair, write_csv, "csv"),
        ("reviews", write_review, write_jsonl, "jsonl"),
    ):
        for split, rows in zip(("train", "validation"), write_rows(write, f"looplift {name}"), strict=True):
            save(folder / name / f"{split}.{suffix}", rows)
            for row in rows:
                words.update(re.findall(r"\w+|[^\w\s]", " ".join(_texts(row)).lower()))
    (folder / "vocabulary.txt").write_text("\n".join(sorted(words)) + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent
    write_texts(target)
    print(f"wrote pairs, reviews and vocabulary.txt in {target}")
