# does: prints without end, past Python's streams, too
# cap: 0
# flag: -
import os
import sys

for _ in range(100_000):
    print("x" * 100_000)
    sys.stderr.write("y" * 100_000)
try:
    while True:
        os.write(1, b"z" * 1_000_000)
except OSError as error:
    print(error)
