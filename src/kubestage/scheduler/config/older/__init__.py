"""Versions of the API before ``v1``, converted as the releases that served them did.

A version keeps its own defaults: the default plugins and weights of the last release that read
it. Here belongs what those releases knew, and what became of plugins that v1.36 no longer has.
"""
