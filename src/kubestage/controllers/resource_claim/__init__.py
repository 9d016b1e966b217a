"""Claims for devices: made from templates with their pods, and given back when pods are done.

The scheduler finds devices for claims and writes who uses them; here are only the claims' own
beginnings and ends. Claims for storage are in the room of volumes.
"""
