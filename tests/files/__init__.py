"""Files as they are read, written and claimed."""
