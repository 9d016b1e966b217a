"""What an unmodified kube-scheduler v1.36 asks of a server, request by request."""
