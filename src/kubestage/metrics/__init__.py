"""What the metrics APIs of a cluster serve: who uses what, and how that becomes known.

Whoever burns CPU says so to a `Source`; the `Scraper` looks at all sources from time to time, as
metrics-server does, and what it saw reaches the `Board` through a pipeline that takes its time.
The autoscalers read the board. Nothing here decides anything.
"""
