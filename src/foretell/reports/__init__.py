"""Rows and scoreboards made readable: terminal, HTML, figures; and data sets to take away."""
