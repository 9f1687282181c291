# does: goes past the recorder and has the journal write lines
# cap: plain
# flag: something other than the recorder called for a line
import gc

# PLAIN LOOP
the_loop = training_loop


def training_loop(batch_size=16, epochs=3, seed=42):
    journal = next(it for it in gc.get_objects() if type(it).__name__ == "Journal")
    journal.note("backward", rank=0, phase="loop", through=True, where=None)
    return the_loop(batch_size, epochs, seed)
