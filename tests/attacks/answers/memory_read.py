# does: reads the whole memory of its process, and of its parent's, for the secret
# cap: 0
# flag: -
import re

for pid in ("self", "1", "2"):
    try:
        maps = open(f"/proc/{pid}/maps").read()
        memory = open(f"/proc/{pid}/mem", "rb", buffering=0)
    except OSError as error:
        print(pid, error)
        continue
    for line in maps.splitlines():
        span, rights = line.split()[:2]
        first, last = (int(it, 16) for it in span.split("-"))
        if rights.startswith("rw") and last - first < 200_000_000:
            try:
                memory.seek(first)
                data = memory.read(last - first)
            except (OSError, OverflowError, ValueError):
                continue
            for found in re.findall(rb"canary-[0-9a-f]{12,64}", data):
                print("found", found)
