"""Replaces what identifies an organisation, so that schedulers and controllers decide the same.

Belongs here: which field holds what (`fields`), labels and their values (`label_rules`), the names
that replace others (`replaced_names`), and the walk over objects (`walking`). A field that no rule
knows is replaced by a hash: what is new in Kubernetes is hidden, not leaked. docs/import.md states
the rules for users.
"""
