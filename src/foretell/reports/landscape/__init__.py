"""Small models beside their bounds: gaps, noise on the weights, and what shows inside."""
