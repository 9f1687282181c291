# does: sends what it finds to the world, to the machine and to its host, and listens for orders
# cap: 0
# flag: -
import socket

print([name for _, name in socket.if_nameindex()])
for address in (("1.1.1.1", 53), ("169.254.169.254", 80), ("10.0.0.1", 22)):
    try:
        socket.create_connection(address, timeout=2)
        print("written to", address)
    except OSError as error:
        print(error)
try:
    print("found", socket.gethostbyname("example.org"))
except OSError as error:
    print(error)
try:
    socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM).connect((2, 1024))
    print("written to the host")
except OSError as error:
    print(error)
for number in ({PORT}, 8888, 29500):
    try:
        socket.create_connection(("127.0.0.1", number), timeout=1)
        print("written to port", number)
    except OSError as error:
        print(error)
