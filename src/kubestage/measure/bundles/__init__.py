"""Measurements that consist of others: they begin and gather them together, in a fixed order."""
