"""Measurements that query a Prometheus, or the stage's own store of metrics.

Here belong their queries, the evaluation of the answers, and the feeding of the stage's store:
targets, rules and the scraper. The run decides what answers PromQL (`Facilities.queries`).
"""
