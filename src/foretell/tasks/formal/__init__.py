"""Read a word and know at every prefix what may follow. One language per file, where no regular
expression describes it; regular languages are rows of `languages/benchmark.toml`."""
