"""Short names of types that every room uses."""

from __future__ import annotations

from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]
"""A JSON object: how the store keeps a Kubernetes object."""
