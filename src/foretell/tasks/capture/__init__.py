"""Tasks on which one asks whether a network learns the algorithm. One task per file."""
