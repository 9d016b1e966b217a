"""The rules an object must keep, with upstream's field paths and messages.

A broken rule is a `field.FieldError`, a value: validators return lists of them in upstream's
order and never raise. One file holds the rules of one thing (metadata, containers, volumes,
nodes); `rules.py` knows which of them guard which kind.
"""
