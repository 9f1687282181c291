# does: trains honestly and returns what no reader of JSON can take
# cap: 10
# flag: -
# HONEST LOOP
the_loop = training_loop


class Bad:
    def __repr__(self):
        raise ValueError("no")

    __str__ = __repr__
    size = 1

    def item(self):
        return self


def training_loop(batch_size=16, epochs=3, seed=42):
    the_loop(batch_size, epochs, seed)
    nested = []
    for _ in range(10_000):
        nested = [nested]
    return [10**5000, "x" * 50_000_000, float("nan"), nested, Bad(), {1: {2: {3: {4: 5}}}}]
