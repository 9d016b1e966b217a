"""Traffic: requests that flow to the pods of a workload, and what they use there.

Here belong the `Traffic` object and its patterns, the requests and the replicas that serve them,
and the record of how they fared. What pods use goes to `metrics`; who reads it there (autoscalers)
does not belong here, nor does anything that starts or places a pod.

The requests of one Traffic are worked through by a `requests.Requests`, of which there are two with
the same records: `movements` moves each request on the clock, `fast` works through arrays.
"""
