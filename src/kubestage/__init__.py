"""kubestage: a deterministic stand-in for a Kubernetes cluster, in virtual time."""

__version__ = "0.1.0"
