"""The ground floor: nothing here knows about arrays. Catalogue, files, errors."""
