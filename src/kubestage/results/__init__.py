"""The record of a run: how it is kept, read back and laid out for people.

Here belong the files that a run leaves behind and pure functions over what is in them. Deciding
what happens in a run, and printing to a terminal, do not.
"""

from __future__ import annotations
