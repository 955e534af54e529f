"""Floor 2: this book's attention inside other libraries, which are not required."""
