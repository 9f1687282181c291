# fails: prepared
# says: still the empty stub
# where: raise NotImplementedError()
# kind: unfinished: the comments are there, the code is not


def training_loop(batch_size=16, epochs=3, seed=42):
    """What plain_loop does, on any number of processes."""
    # YOUR CODE HERE
    raise NotImplementedError()
