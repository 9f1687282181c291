# does: has the recorder vouch for weights that are none
# cap: plain
# flag: something other than the recorder called for a line
import gc
import hashlib

# HONEST LOOP
the_loop = training_loop


def training_loop(batch_size=16, epochs=3, seed=42):
    recorder = next(it for it in gc.get_objects() if type(it).__name__ == "Recorder")
    the_loop(batch_size, epochs, seed)
    data = b"\xff" * 64
    for rank in (0, 1):
        with open(f"/evidence/weights-{rank}-7.safetensors", "wb") as file:
            file.write(data)
        recorder.note("weights", model=7, digest=hashlib.blake2b(data, digest_size=16).hexdigest())
    recorder.note("forward", model=7, wrapped=True, training=True, grad=True, where=None)
    recorder.note("step", lr=[], through=True, gradients={"7": [1.0, 1.0]}, where=["answer.py@0", 10**9])
