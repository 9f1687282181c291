# does: takes 4 GB of shared memory in several processes, which the limits of one process do not count
# cap: 0
# flag: of memory
import mmap
import os
import time

for _ in range(4):
    if os.fork() == 0:
        kept = []
        for _ in range(64):
            part = mmap.mmap(-1, 16 << 20)
            part[:] = b"1" * len(part)
            kept.append(part)
        time.sleep(1000)
time.sleep(1000)
