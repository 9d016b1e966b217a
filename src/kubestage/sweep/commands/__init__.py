"""What one run of a sweep is: a command of ``runs`` with its arguments, and what is measured of it.

A module for each command. It reads the command's words, checks all inputs without running them, and
runs them. Which parameters there are and how they are varied belongs to ``sweep``.
"""
