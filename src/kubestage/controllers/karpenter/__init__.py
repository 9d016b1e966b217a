"""Karpenter core 1.14: what nodes to make for pods that fit nowhere, and which to take away.

Here belongs what Karpenter decides. The core is pure: objects and instance types in, decisions
out, in the pinned order where the real one draws at random. What a cloud offers belongs to the
provider that answers `InstanceTypeProvider`.
"""
