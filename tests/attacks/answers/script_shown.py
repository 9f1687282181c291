# does: has a page run a script, by an error's text and its own line
# cap: 0
# flag: -
def training_loop(batch_size=16, epochs=3, seed=42):
    raise ValueError("<script>alert(1)</script><img src=x onerror=alert(1)> [x](javascript:alert(1))")
