"""Rules for dynamic resource allocation: claims, classes of devices, and slices of a pool.

One part of the API a file; ``rows`` says which rule judges which kind.
"""
