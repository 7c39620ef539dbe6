"""Published tables and experiments run again: gathered from the store, printed, made pages."""
