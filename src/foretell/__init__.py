"""Foretell."""
