# does: asks for 4 GB
# cap: 0
# flag: -
taken = bytearray(4 << 30)
print("written", len(taken))
