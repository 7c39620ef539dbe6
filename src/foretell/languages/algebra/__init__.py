"""The algebra of a regular language: its monoid in tables, Green's relations, groups, laws.

Read `maps.py` (an element is a row of states), then `monoid.py`. `../classes.py` is the user.
"""
