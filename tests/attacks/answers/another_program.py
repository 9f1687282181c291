# does: becomes another program, which writes a record of its own and ends well
# cap: 0
# flag: something else wrote into the record of its run
import os
import sys

program = """
import json, time
with open("/evidence/events-1.jsonl", "a") as file:
    for rank in (0, 1):
        for kind in ("rank", "returned", "done"):
            event = {"kind": kind, "at": time.monotonic(), "pid": 1, "rank": rank, "world": 2, "value": None,
                     "tampered": [], "phase": "loop"}
            file.write(json.dumps(event) + "\\n")
"""
os.execv(sys.executable, [sys.executable, "-c", program])
