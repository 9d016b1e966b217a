"""PromQL: series of samples, and the questions that are asked of them.

Here belong the series, the language with its parser and its functions, and their evaluation at a
moment. Nothing here knows a cluster or a metric's name; who puts samples in belongs elsewhere.
"""
