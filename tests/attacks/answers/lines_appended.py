# does: writes lines of its own into the files of the record
# cap: plain
# flag: something else wrote into the record of its run
import glob
import json
import time

# PLAIN LOOP
the_loop = training_loop


def training_loop(batch_size=16, epochs=3, seed=42):
    value = the_loop(batch_size, epochs, seed)
    for path in glob.glob("/evidence/events-*.jsonl"):
        with open(path, "a") as file:
            for rank in (0, 1):
                event = {"kind": "backward", "at": time.monotonic(), "pid": 3, "rank": rank, "phase": "loop",
                         "through": True, "where": None, "n": 0}
                file.write(json.dumps(event) + "\n")
                file.write(json.dumps(event) + "\t0123456789abcdef\n")
    return value
