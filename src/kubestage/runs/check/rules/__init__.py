"""The rules of a check: one rule, one file, and its line in `table`.

A rule is a class with settings, which a table of ``kubestage.toml`` sets. Most rules look at one
side at a time: what breaks them on both sides to the same extent is not new.
"""
