# does: prints every environment that it can see
# cap: 0
# flag: -
import ctypes
import os

for name, value in os.environ.items():
    print(name, value)
for pid in ["self", *filter(str.isdigit, os.listdir("/proc"))]:
    data = open(f"/proc/{pid}/environ", "rb").read()
    for part in data.split(b"\0"):
        print(part)
environ = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), "environ")
index = 0
while environ[index]:
    print(environ[index])
    index += 1
