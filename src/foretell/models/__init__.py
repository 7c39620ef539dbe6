"""The models that get trained: a transformer, its positional encodings, and import from GPT-2."""
