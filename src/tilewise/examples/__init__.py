"""Short programs that the pages show and run, each with its printed output."""
