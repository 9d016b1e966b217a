"""Mutations: one small change of a case each, within limits, decided by a stream of numbers.

Here belongs what changes a case (one class for each sort of change) and the table of them
(`registry`). A mutation never makes an object that the API would refuse.
"""
