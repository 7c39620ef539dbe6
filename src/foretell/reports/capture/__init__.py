"""Samples that adapting takes, against size; and networks beside their kernel."""
