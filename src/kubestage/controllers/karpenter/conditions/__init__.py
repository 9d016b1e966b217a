"""Conditions of NodeClaims that disruption goes by: Consolidatable and Drifted.

Here belong the two conditions, and the hash of a NodePool by which drift is recognised.
"""
