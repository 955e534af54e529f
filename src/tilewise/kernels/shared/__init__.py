"""What several rungs share on the GPU: loads, tile order, Gluon's roles."""
