"""Losses on symbols that were never seen."""
