"""Traces of workloads as pods that arrive: CSV (OpenB's, or any with a map) and SWF.

Here belong reading such files, what their columns mean, and changing the load. What becomes of the
pods is the business of a run.
"""
