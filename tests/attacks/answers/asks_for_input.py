# does: waits for someone to type
# cap: 10
# flag: -
import sys

try:
    input("password: ")
except EOFError:
    print("nobody there")
sys.stdin.read()
# HONEST LOOP
