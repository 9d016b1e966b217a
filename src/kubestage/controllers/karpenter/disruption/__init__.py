"""Disruption: which nodes are taken away, why, and what takes their place.

Here belong candidates, budgets, the methods in their order, and what is checked before a command is
carried out. Carrying it out belongs to the living controller.
"""
