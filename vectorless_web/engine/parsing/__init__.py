"""From the bytes of a file to a compiled document that loses nothing."""
