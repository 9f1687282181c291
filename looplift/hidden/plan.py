"""What a run is asked to do."""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass, replace

PARAMETERS = ("batch_size", "epochs", "seed")
NOT_PLAIN = ("mixed_precision",)  # parameters that a plain loop does not have


@dataclass(frozen=True)
class Sizes:
    """Sizes of a hidden run. Rows divide neither by the batch nor by the global batch of two processes."""

    seed: int
    batch_size: int
    epochs: int
    train_rows: int
    eval_rows: int

    @property
    def arguments(self) -> tuple[int, int, int]:
        """What most lessons' functions are called with: batch_size, epochs, seed."""
        return (self.batch_size, self.epochs, self.seed)


@dataclass(frozen=True)
class Plan:
    """One run. function: name in the notebook. processes: how many ranks. replay: for a reference run, the row
    ids of each batch of each epoch; how many times a scheduler moves at each step; and the length that the train
    loader says it has, None for the exercise's own. accumulation: how many batches a step learns from.
    networks: names of the networks when there are several. parameters: those of the function, in their order.
    own_launch: launched by the submission's own line, with its own arguments. mixed: the exercise is about mixed
    precision. dtype: that of the hidden rows and models. scaler: the Accelerator is given a gradient scaler, as it has
    on a GPU under fp16."""

    function: str
    processes: int
    sizes: Sizes
    replay: tuple[tuple[tuple[int, ...], ...], ...] | None = None
    scheduler_moves: int = 1
    length: int | None = None
    accumulation: int = 1
    networks: tuple[str, ...] = ()
    mixed: bool = False
    dtype: str = "float64"
    scaler: bool = False
    parameters: tuple[str, ...] = PARAMETERS
    own_launch: bool = False

    @property
    def arguments(self) -> tuple[int | str, ...]:
        """What the function is called with, in the order of its parameters."""
        sizes = self.sizes
        known: dict[str, int | str] = {
            "batch_size": sizes.batch_size,
            "epochs": sizes.epochs,
            "seed": sizes.seed,
            "mixed_precision": "no",
        }
        return tuple(known[name] for name in self.parameters)

    @property
    def signature(self) -> str:
        """The function's parameters, as they stand in its `def`."""
        return ", ".join(self.parameters)

    def as_reference(
        self, batches: list[list[list[int]]], scheduler_moves: int, length: int | None = None
    ) -> Plan:
        """The plain loop over the same rows in the same order, on one process."""
        frozen = tuple(tuple(tuple(batch) for batch in epoch) for epoch in batches)
        return replace(
            self,
            function="plain_loop",
            processes=1,
            replay=frozen,
            scheduler_moves=scheduler_moves,
            length=length,
            parameters=tuple(it for it in self.parameters if it not in NOT_PLAIN),
        )


def sizes_from(secret: str, lesson: str, epochs: int = 2) -> Sizes:
    """Sizes and seed for a lesson from the secret of a course: the same each time, not to be guessed without it."""
    digest = hashlib.sha256(f"{secret}\n{lesson}".encode()).digest()
    draw = random.Random(digest)
    batch = draw.choice([4, 6])  # even: with split_batches two processes share one batch
    both = 2 * batch
    return Sizes(
        seed=draw.randrange(1, 2**31),
        batch_size=batch,
        epochs=epochs,
        # full global batches, one more batch and a bit: the last batch is short on one process and padded on two
        train_rows=both * draw.choice([4, 5]) + batch + draw.randrange(1, batch),
        # The loader for evaluation has batches of 2 * batch; the last one of two processes is short by 2 rows or
        # more. It has 8 batches, 4 when prepared, and the train loader 10 or 12, 5 or 6 when prepared: a schedule
        # that counts the wrong one shows.
        eval_rows=2 * both * 3 + both + draw.randrange(1, both - 1),
    )
