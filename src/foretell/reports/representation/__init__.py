"""What kinds of model can represent at all."""
