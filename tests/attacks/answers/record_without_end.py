# does: has the recorder write lines of megabytes
# cap: 0
# flag: the record of its run grew too large
def training_loop(batch_size=16, epochs=3, seed=42):
    for number in range(10_000):
        exec(compile("raise_or_not = " + repr("x" * 10), "a" * 200_000, "exec"))
        import gc

        recorder = next(it for it in gc.get_objects() if type(it).__name__ == "Recorder")
        recorder.note("print", stream="stdout", text="x" * 1_000_000, where=None)
