"""Persistent volumes: claims get volumes, found or made; volumes outlive their claims or do not.

The binder and its parts are the persistentvolume-controller; beside it are the protection of what
is in use, the claims of ephemeral volumes, and a provisioner that stands in for CSI drivers.
"""
