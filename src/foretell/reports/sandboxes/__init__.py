"""Sandboxes: every claim beside its measurement."""
