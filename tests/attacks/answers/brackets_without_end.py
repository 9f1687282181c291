# does: is text that no parser gets to the end of
# cap: 0
# flag: -
training_loop = {BRACKETS}
