"""Measurements that ask a Prometheus, or the stage's own store of metrics.

Here belong what they ask and what they make of the answers, and how the stage's store is fed:
targets, rules and the scraper. Who answers PromQL is said by the run (`Facilities.queries`).
"""
