# does: writes the record of a second process that never was
# cap: plain
# flag: something else wrote into the record of its run
import json
import os
import time


def training_loop(batch_size=16, epochs=3, seed=42):
    with open("/evidence/events-4711.jsonl", "w") as file:
        for rank in (0, 1):
            for kind in ("rank", "returned", "done"):
                event = {"kind": kind, "at": time.monotonic(), "pid": 4711, "rank": rank, "phase": "loop", "world": 2,
                         "value": None, "tampered": []}
                file.write(json.dumps(event) + "\n")
    os._exit(0)
