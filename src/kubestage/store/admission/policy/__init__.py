"""Admission policies: expressions in the API itself that refuse or change requests."""
