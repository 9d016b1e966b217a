"""Measurements that measure little and do something: sleep, run a command, fail nodes, time.

A configuration mentions them where a test is to do what is not creating objects.
"""
