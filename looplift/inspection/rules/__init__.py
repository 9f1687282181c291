"""What the trace of a script says: what is wrong in its use of Accelerate, or what would have to change."""
