"""Formats of other programs, one a file: how it is recognised by its content, and read.

A format of single files has `is_one(entry)` and `read(entry, intake)`. One that is a whole folder
or archive has `is_one(paths)` and `read(tree, intake)`. Both return where the objects come from;
the objects go to the intake. `table` lists all formats in the order in which they are tried.
"""
