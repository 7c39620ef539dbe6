"""How transformers learn structured data."""
