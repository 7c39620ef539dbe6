"""What sandboxes are made of: laws over sequences, formulas, small models and their training.

Files are named by subject. A sandbox is one claim sheet and one run; what two of them share, or
what would make one too long to read, is here.
"""
