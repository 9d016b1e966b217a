"""Mutated files for every command that reads any."""
