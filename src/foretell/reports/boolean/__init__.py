"""One Boolean function: what is known without training, and what a model made of it."""
