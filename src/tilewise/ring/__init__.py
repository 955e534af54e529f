"""Floor 2: attention over several GPUs, with keys and values passed around a ring."""
