"""Tables that the server reads, as data files."""
