"""Recorded HTTP requests as calls of a store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from kubestage.objects import decode
from kubestage.objects.patches import PatchType
from kubestage.store.deletion import DeleteOptions

if TYPE_CHECKING:
    from kubestage.objects.kinds import Kind
    from kubestage.store.listing import ObjectList
    from kubestage.store.store import Store
    from kubestage.store.watch import Watch

# Kinds whose deletion is answered with the object instead of a Status.
RETURNED = frozenset(
    {
        "namespaces", "pods", "services", "podtemplates", "persistentvolumes",
        "persistentvolumeclaims", "resourcequotas", "serviceaccounts", "csidrivers", "csinodes",
        "storageclasses", "volumeattachments", "volumeattributesclasses", "deviceclasses",
        "resourceclaims", "resourceclaimtemplates", "resourceslices",
    }
)  # fmt: skip


class NotOurs(Exception):
    """A request that a store does not answer; `changed` if the server changed something."""

    def __init__(self, *, changed: bool = False) -> None:
        super().__init__()
        self.changed = changed


class Route(NamedTuple):
    """What a path means."""

    kind: Kind
    namespace: str | None
    name: str
    subresource: str


def route(store: Store, path: str) -> Route | None:
    """The kind, namespace, name and subresource of a path."""
    parts = path.strip("/").split("/")
    if parts[0] == "api" and len(parts) > 2:
        group, version, rest = "", parts[1], parts[2:]
    elif parts[0] == "apis" and len(parts) > 3:
        group, version, rest = parts[1], parts[2], parts[3:]
    else:
        return None
    namespace = None
    if rest[0] == "namespaces" and len(rest) > 2 and rest[2] not in ("status", "finalize"):
        namespace, rest = rest[1], rest[2:]
    kind = store.kinds.by_plural(group, version, rest[0])
    if kind is None or (kind.namespaced != (namespace is not None) and len(rest) > 1):
        return None
    name = rest[1] if len(rest) > 1 else ""
    return Route(kind, namespace, name, rest[2] if len(rest) > 2 else "")


class Call:
    """One request."""

    def __init__(self, store: Store, request: dict[str, Any], *, succeeded: bool) -> None:
        self.store = store
        self.request = request
        self.method = request["method"]
        self.query: dict[str, str] = request.get("query") or {}
        self.changed = succeeded and self.method != "GET"
        found = route(store, request["path"])
        if found is None or "raw" in request:
            raise NotOurs(changed=self.changed)
        self.kind, self.namespace, self.name, self.subresource = found
        self.dry_run = self.query.get("dryRun") == "All"

    def answer(self) -> Any:
        """The object, list, Status or watch; None for an answer of no content."""
        query = self.query
        if query.get("fieldValidation") == "Bogus" or query.get("dryRun", "All") != "All":
            raise NotOurs
        if query.get("fieldManager", "").startswith(("bad", "xxx")):
            raise NotOurs
        if self.method == "GET":
            return self.get()
        if self.method == "POST":
            return self.post()
        if self.method == "DELETE":
            return self.delete()
        if self.name and self.method in ("PUT", "PATCH"):
            return self.put() if self.method == "PUT" else self.patch()
        raise NotOurs

    def get(self) -> Any:
        watched = bool(self.query.get("watch"))
        if self.name:
            if watched:
                raise NotOurs
            return self.store.get(
                self.kind,
                self.name,
                self.namespace,
                subresource=self.subresource,
                resource_version=self.query.get("resourceVersion", ""),
            )
        return self.watch() if watched else self.list()

    def selectors(self) -> dict[str, str]:
        return {
            "label_selector": self.query.get("labelSelector", ""),
            "field_selector": self.query.get("fieldSelector", ""),
        }

    def versions(self) -> dict[str, str]:
        return {
            "resource_version": self.query.get("resourceVersion", ""),
            "resource_version_match": self.query.get("resourceVersionMatch", ""),
        }

    def list(self) -> dict[str, Any]:
        limit = self.query.get("limit", "0")
        if not is_number(limit):
            raise NotOurs
        page = self.store.list(
            self.kind,
            self.namespace,
            limit=int(limit),
            continue_token=self.query.get("continue", ""),
            **self.selectors(),
            **self.versions(),
        )
        return list_json(self.kind, page)

    def watch(self) -> Watch:
        if "continue" in self.query:
            raise NotOurs
        initial = self.query.get("sendInitialEvents")
        return self.store.watch(
            self.kind,
            self.namespace,
            allow_bookmarks=self.query.get("allowWatchBookmarks") == "true",
            send_initial_events=None if initial is None else initial != "false",
            **self.selectors(),
            **self.versions(),
        )

    def body(self) -> dict[str, Any]:
        mode: Any = self.query.get("fieldValidation", "Warn")
        body = self.request.get("body") or {}
        if "kind" not in body and "apiVersion" not in body:
            body = {"kind": self.kind.kind, "apiVersion": self.kind.api_version, **body}
        return decode.decode(body, self.kind.api_version, self.kind.kind, mode).object

    def post(self) -> dict[str, Any] | None:
        if self.subresource == "binding":
            self.bind()
            return None
        if self.name:
            raise NotOurs(changed=self.changed)
        return self.store.create(
            self.body(), kind=self.kind, namespace=self.namespace, dry_run=self.dry_run
        )

    def bind(self) -> None:
        metadata, target = self.request["body"]["metadata"], self.request["body"]["target"]
        self.store.bind(
            self.name,
            self.namespace or "",
            target["name"],
            uid=metadata.get("uid", ""),
            annotations=metadata.get("annotations"),
        )

    def put(self) -> dict[str, Any]:
        return self.store.update(
            self.request["body"] if self.subresource == "scale" else self.body(),
            kind=self.kind,
            name=self.name,
            namespace=self.namespace,
            subresource=self.subresource,
            dry_run=self.dry_run,
        )

    def patch(self) -> dict[str, Any]:
        try:
            patch_type = PatchType(self.request["headers"]["Content-Type"])
        except ValueError:
            raise NotOurs(changed=self.changed) from None
        mode: Any = self.query.get("fieldValidation", "Warn")
        return self.store.patch(
            self.kind,
            self.name,
            self.request.get("body"),
            self.namespace,
            patch_type=patch_type,
            subresource=self.subresource,
            dry_run=self.dry_run,
            field_validation=mode,
        )

    def delete(self) -> dict[str, Any]:
        options = self.delete_options()
        if not self.name:
            page = self.store.delete_collection(
                self.kind, self.namespace, options, **self.selectors()
            )
            return list_json(self.kind, page)
        result = self.store.delete(self.kind, self.name, self.namespace, options)
        if result.removed and self.kind.plural not in RETURNED:
            return deleted_status(self.kind, result.object)
        return result.object

    def delete_options(self) -> DeleteOptions:
        body, query = self.request.get("body") or {}, self.query
        grace = body.get("gracePeriodSeconds", query.get("gracePeriodSeconds"))
        dry_run = body.get("dryRun") or query.get("dryRun")
        if self.subresource or dry_run not in (None, "All", ["All"]) or not is_number(grace):
            raise NotOurs
        preconditions = body.get("preconditions") or {}
        return DeleteOptions(
            grace_period_seconds=None if grace is None else int(grace),
            propagation_policy=body.get("propagationPolicy", query.get("propagationPolicy")),
            orphan_dependents=body.get("orphanDependents"),
            uid=preconditions.get("uid"),
            resource_version=preconditions.get("resourceVersion"),
            dry_run=bool(dry_run),
        )


def is_number(value: Any) -> bool:
    return value is None or str(value).lstrip("-").isdigit()


def list_json(kind: Kind, page: ObjectList) -> dict[str, Any]:
    """A list as the API writes it: items of built-in kinds go without their type."""
    metadata: dict[str, Any] = {"resourceVersion": page.resource_version}
    if page.continue_token or kind.definition is not None:
        metadata["continue"] = page.continue_token
    if page.remaining is not None:
        metadata["remainingItemCount"] = page.remaining
    items = page.items
    if kind.definition is None:
        items = [{k: v for k, v in obj.items() if k not in ("apiVersion", "kind")} for obj in items]
    head = {"apiVersion": kind.api_version, "kind": kind.list_kind}
    return {**head, "metadata": metadata, "items": items}


def deleted_status(kind: Kind, obj: dict[str, Any]) -> dict[str, Any]:
    """The Status that answers the deletion of an object which is gone."""
    metadata = obj["metadata"]
    details = {"name": metadata["name"], "kind": kind.plural, "uid": metadata["uid"]}
    if kind.group:
        details["group"] = kind.group
    head = {"kind": "Status", "apiVersion": "v1", "metadata": {}}
    return {**head, "status": "Success", "details": details}
