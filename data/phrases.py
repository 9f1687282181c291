"""The phrases that `write_texts.py` puts together. All of them were written for this course."""

from __future__ import annotations

# --- pairs: one event has several names; a report says that it took place, or that it did not ---

EVENTS: tuple[tuple[str, ...], ...] = (
    ("the school concert", "the concert at school"),
    ("the book sale", "the sale of books"),
    ("the chess evening", "the evening of chess"),
    ("the harbour tour", "the boat tour"),
    ("the cooking class", "the class for cooks"),
    ("the bicycle race", "the cycling race"),
    ("the staff meeting", "the team meeting"),
    ("the garden party", "the summer party"),
    ("the film night", "the night of films"),
    ("the choir practice", "the singing practice"),
    ("the street market", "the open market"),
    ("the museum visit", "the museum tour"),
    ("the swimming lesson", "the lesson at the pool"),
    ("the job interview", "the job talk"),
    ("the art fair", "the fair for art"),
    ("the forest walk", "the walk in the forest"),
    ("the poetry reading", "the reading of poems"),
    ("the football match", "the cup match"),
    ("the games afternoon", "the board games"),
    ("the piano exam", "the music exam"),
    ("the river cleaning", "the clean river day"),
    ("the fire drill", "the safety drill"),
    ("the wine tasting", "the cellar tasting"),
    ("the dance course", "the course for dancers"),
)

HAPPENED = (
    "went ahead as planned",
    "took place as announced",
    "went well",
    "went ahead on time",
    "was a success",
    "took place after all",
)

CANCELLED = (
    "was cancelled",
    "was called off",
    "never happened",
    "fell through",
    "was cancelled too late",
    "had to be called off",
)

TIMES = (
    "on Monday",
    "on Tuesday",
    "last Friday",
    "this morning",
    "at the weekend",
    "yesterday",
    "in April",
    "at noon",
)

SOURCES = ("", "", "", "", "", "", "we heard that", "it seems that", "they say that")

# --- reviews: a product, one of its parts, an opinion ---

PRODUCTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("kettle", ("lid", "handle", "spout")),
    ("backpack", ("zip", "strap", "front pocket")),
    ("desk lamp", ("switch", "arm", "base")),
    ("rain jacket", ("hood", "zip", "lining")),
    ("headset", ("microphone", "cable", "headband")),
    ("garden hose", ("nozzle", "valve", "reel")),
    ("coffee mill", ("crank", "drawer", "blade")),
    ("office chair", ("armrest", "seat", "wheel lock")),
    ("alarm clock", ("display", "button", "speaker")),
    ("frying pan", ("coating", "handle", "rim")),
    ("tent", ("pole", "ground sheet", "inner door")),
    ("bicycle light", ("clip", "battery", "lens")),
    ("notebook", ("cover", "paper", "binding")),
    ("toaster", ("lever", "crumb tray", "timer")),
    ("suitcase", ("lock", "handle", "inner net")),
    ("keyboard", ("space bar", "cable", "stand")),
    ("water bottle", ("cap", "seal", "mouthpiece")),
    ("bookshelf", ("back panel", "top board", "bracket")),
    ("camera bag", ("buckle", "padding", "strap")),
    ("hair dryer", ("plug", "filter", "cold setting")),
)

OPENINGS = (
    "I bought this {product} for {who}",
    "I have used this {product} for {time}",
    "this is my second {product} from the same shop",
    "the {product} arrived on Tuesday",
    "we needed a {product} in a hurry",
    "the {product} was a present from {who}",
    "my old {product} was ten years old",
    "I ordered the {product} in green",
)

WHO = ("my daughter", "my father", "a friend", "my neighbour", "my aunt", "a colleague")

SPANS = ("two weeks", "a month", "half a year", "one summer", "three days", "a whole winter")

PRAISE = (
    "the {part} is sturdy and well made",
    "the {part} works perfectly",
    "the {part} still looks new after {time}",
    "I love the clever {part}",
    "the {part} is better than I hoped",
    "the {part} is a joy to use",
    "the {part} feels solid and smooth",
    "the {part} has not let me down once",
    "the {part} is easy to clean and easy to use",
    "even {who} was impressed by the {part}",
)

COMPLAINT = (
    "the {part} broke after {time}",
    "the {part} feels cheap and thin",
    "the {part} came loose within {time}",
    "the {part} never worked properly",
    "I am annoyed by the flimsy {part}",
    "the {part} is worse than I feared",
    "the {part} was already cracked",
    "the {part} has let me down twice",
    "the {part} is hard to clean and useless",
    "even {who} gave up on the {part}",
)

HAPPY_END = (
    "worth every cent",
    "I would buy it again",
    "I can warmly recommend it",
    "five stars from me",
    "a lovely surprise",
    "I am delighted",
    "thank you to the makers",
)

UNHAPPY_END = (
    "a waste of money",
    "I sent it back",
    "I can only warn you",
    "one star is too many",
    "a bitter disappointment",
    "I want a refund",
    "shame on the makers",
)

HAPPY_TURN = (
    "the price is high",
    "the colour is not quite my taste",
    "delivery was slow",
    "the manual is short",
    "I had my doubts about this {product}",
    "the box was damaged",
)

UNHAPPY_TURN = (
    "the price is low",
    "the colour is pretty",
    "delivery was quick",
    "the manual is long",
    "I had high hopes for this {product}",
    "the box was pretty",
)
