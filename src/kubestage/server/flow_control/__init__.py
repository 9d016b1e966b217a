"""API Priority and Fairness: which FlowSchema and priority level each request belongs to.

Requests are classified, reported and counted, and never queued or rejected: one event loop serves
them one after the other.
"""
