"""API calls without a Prometheus: how long they take, and whether the API server answers at all."""
