"""What the server serves, told to clients: groups, versions, resources, verbs.

Pure functions from a kind table to the documents of ``/api`` and ``/apis``, in the older form (one
request a group and version) and in the aggregated one (everything at once). They are computed
anew at each call: a CustomResourceDefinition adds to the table and takes away while clients look.

What does not belong here: HTTP, and any kind that the table or `unstored` does not name.
"""

from __future__ import annotations

from kubestage.server.discovery.aggregated import aggregated, content_type, etag
from kubestage.server.discovery.legacy import (
    api_group,
    api_group_list,
    api_resource_list,
    legacy_api,
)

__all__ = [
    "aggregated",
    "api_group",
    "api_group_list",
    "api_resource_list",
    "content_type",
    "etag",
    "legacy_api",
]
