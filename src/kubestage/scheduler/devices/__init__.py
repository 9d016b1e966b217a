"""Devices for pods: which devices exist, which are taken, and which a claim can have.

Here belongs dynamic resource allocation as the scheduler knows it: ResourceSlices and their pools,
the search that finds devices for ResourceClaims on a node, and what is written into a claim. Here
does not belong when any of it is used: that is the DynamicResources plugin.
"""
