"""Measurements that consist of others: they start and gather them together, in a fixed order."""
