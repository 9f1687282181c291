# does: raises errors that raise when they are looked at, and are named like a page of text
# cap: 0
# flag: -
class Meta(type):
    @property
    def __name__(cls):
        raise SystemExit("gone")


class Worse(BaseException):
    def __str__(self):
        raise Worse()

    __repr__ = __str__


def training_loop(batch_size=16, epochs=3, seed=42):
    raise type("W" * 100_000, (Worse,), {})()
