"""The ground floor: nothing here knows about arrays. Catalogue, settings, files, errors."""
