"""Metrics: counters and their text form, and what the metrics APIs of a cluster serve.

`families` are counters, gauges and histograms, and their text form for Prometheus. The rest is the
resource usage of pods: a `Source` reports what containers use, `Metrics` (in `scraper`) reads all
sources at an interval, as metrics-server does, and the samples reach the `Board` after a delay.
`SilentNodes` are those of which nothing can be read. The autoscalers read the board. Nothing here
decides anything.
"""
