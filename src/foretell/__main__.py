"""`python -m foretell` is the same as `foretell`."""

from foretell.cli import main

main()
