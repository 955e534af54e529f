"""Floor 2: attention over packed documents of different lengths."""
