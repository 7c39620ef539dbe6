"""Explicit transformers from the papers: weights written down, errors known exactly."""
