"""Numbers without a model: axis names, keys by path, intervals, precision."""
