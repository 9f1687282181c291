# does: attaches to other processes as a debugger, and reads and writes their memory
# cap: 0
# flag: -
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
for pid in (1, os.getppid(), *map(int, filter(str.isdigit, os.listdir("/proc")))):
    if libc.ptrace(16, pid, 0, 0) == 0:
        print("written: attached to", pid)
    buffer = ctypes.create_string_buffer(64)
    parts = (ctypes.c_void_p * 2)(ctypes.addressof(buffer), 64)
    if libc.process_vm_readv(pid, parts, 1, parts, 1, 0) > 0:
        print("written: read", pid)
