# does: takes memory that belongs to no process: memfd, System V, pipes, files in /dev/shm
# cap: 0
# flag: -
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
try:
    os.memfd_create("hoard")
    print("written: memfd")
except OSError as error:
    print(error)
if libc.shmget(0, ctypes.c_size_t(1 << 30), 0o1600) >= 0:
    print("written: System V")
total = 0
try:
    for number in range(64):
        with open(f"/dev/shm/{number}", "wb") as file:
            for _ in range(64):
                total += file.write(bytes(1 << 20))
except OSError as error:
    print(error)
print("written: /dev/shm" if total > 300 << 20 else "full")
