"""From C-RASP programs to transformer weights."""
