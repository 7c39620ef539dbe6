"""Infinitely wide transformers as kernels, layer by layer, with error bars on what is sampled."""
