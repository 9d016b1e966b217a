"""The cloud of a stage, as Karpenter sees it: what it offers, launches, and takes back.

Here belong node classes, the instance types of PriceCatalogs, machines and what goes wrong with
them. What Karpenter does with a machine belongs to `lifecycle`.
"""
