"""Tables of facts about the Kubernetes API, read by `objects.schema`."""
