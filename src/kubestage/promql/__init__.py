"""PromQL: series of samples, and queries of them.

Here belong the series, the language with its parser and its functions, and their evaluation at a
moment. Nothing here knows a cluster or the name of a metric; scraping belongs elsewhere.
"""
