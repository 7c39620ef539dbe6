"""Read an input, then write its answer. One task per file."""
