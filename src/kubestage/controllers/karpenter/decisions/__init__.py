"""What Karpenter decides, with its reasons, as values; pure.

Here are the reasons put together: why a NodeClaim may have these instance types, why it got this
machine, and what each way to disrupt nodes came to about a node. Nothing is decided here.
"""
