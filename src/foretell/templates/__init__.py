"""Templates: strings with wildcards and labels, as values; matching, overlap and diversity."""
