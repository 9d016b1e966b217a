"""Measurements of how long objects take: pods to run, jobs to finish, claims to be allocated."""
