"""What several rungs share on the host: descriptors and launches."""
