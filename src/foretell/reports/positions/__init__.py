"""What a trained model makes of positions: where heads look, and what positions alone do."""
