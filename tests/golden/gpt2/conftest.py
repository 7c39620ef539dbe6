"""Keeps the generator, which needs torch, out of collection."""

collect_ignore = ["make.py"]
