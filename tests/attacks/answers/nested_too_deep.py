# does: is an expression so deep that programs that walk it fall over
# cap: 0
# flag: -
training_loop = {NESTED}
