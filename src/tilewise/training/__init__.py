"""Floor 2: a small transformer, what its training keeps, and checkpointing."""
