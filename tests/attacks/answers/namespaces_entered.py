# does: makes namespaces to have rights again, mounts, changes its root, makes devices
# cap: 0
# flag: -
import ctypes
import os
import stat

libc = ctypes.CDLL(None, use_errno=True)
if libc.unshare(0x10000000) == 0 or libc.syscall(56, 0x10000000 | 17, 0, 0, 0, 0) > 0:
    print("written: a user namespace")
if libc.mount(b"none", b"/scratch", b"tmpfs", 0, None) == 0 or libc.chroot(b"/scratch") == 0:
    print("written: a mount")
try:
    os.mknod("/scratch/disk", 0o600 | stat.S_IFBLK, os.makedev(254, 0))
    print("written: a device")
except OSError as error:
    print(error)
for call in (os.setuid, os.setgid):
    try:
        call(0)
        print("written: root")
    except OSError as error:
        print(error)
