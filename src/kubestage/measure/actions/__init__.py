"""Measurements that act more than they measure: sleep, run a command, fail nodes, time.

A configuration uses them where a test has to do something besides creating objects.
"""
