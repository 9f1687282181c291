# does: calls the recorder from code that is compiled under the name of one of the kit's files
# cap: plain
# flag: something other than the recorder called for a line
import gc

from looplift.evidence import recorder as module

# PLAIN LOOP
the_loop = training_loop


def training_loop(batch_size=16, epochs=3, seed=42):
    it = next(it for it in gc.get_objects() if type(it).__name__ == "Recorder")
    text = "it.note('backward', through=True, where=None)"
    exec(compile(text, module.__file__, "exec"), {**vars(module), "it": it})
    return the_loop(batch_size, epochs, seed)
