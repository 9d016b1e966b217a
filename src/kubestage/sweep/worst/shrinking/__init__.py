"""Shrinking: the smallest case that still shows what was found.

Here belongs one module for each sort of simplification (fewer events, fewer replicas, fewer fields,
rounder sizes, simpler times) and the loop over them (`shrinker`).
"""
