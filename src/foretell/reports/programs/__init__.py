"""C-RASP programs and decisions about languages, told so that they can be checked by hand."""
