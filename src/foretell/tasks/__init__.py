"""One task per file, by family. `answering` and `next_symbols` hold what the families share."""
