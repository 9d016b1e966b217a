"""Recorded worlds of cluster-autoscaler, played again."""
