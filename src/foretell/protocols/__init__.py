"""How outcomes are measured. One protocol per file; `_running` joins them to training."""
