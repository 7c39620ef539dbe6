"""Boolean functions on {0,1}^T: spectra, formulas, query-only testers, and bounds."""
