"""What sequence models can represent, and where attention glitches."""
