"""A validating webhook that cannot be called, for those who test what becomes of their objects.

Webhooks are not called here. One that fails has an effect without being called, though: with
failurePolicy Fail nothing that its rules match can be written, by clients or by controllers.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import ApiError
from kubestage.objects import gvk, labels

if TYPE_CHECKING:
    from kubestage.store.admission.admission_request import AdmissionRequest
    from kubestage.store.core import Core

ALL: Final = "*"
REFUSED: Final = "connect: connection refused"
# The real one exempts these, too: else a webhook could lock itself out.
_EXEMPT: Final = "admissionregistration.k8s.io"


@dataclasses.dataclass(frozen=True, slots=True)
class MatchedRequests:
    """Which requests a webhook is called for: a rule of its configuration."""

    operations: tuple[str, ...] = (ALL,)
    groups: tuple[str, ...] = (ALL,)
    resources: tuple[str, ...] = (ALL,)

    def matches(self, operation: str, group: str, resource: str, subresource: str) -> bool:
        """Whether a request is among them; a resource is as in ``pods`` or ``pods/status``."""
        if not {operation, ALL} & set(self.operations) or not {group, ALL} & set(self.groups):
            return False
        if subresource:
            names = {f"{resource}/{subresource}", f"{resource}/{ALL}", f"{ALL}/{subresource}"}
        else:
            names = {resource, ALL}
        return bool({*names, f"{ALL}/{ALL}"} & set(self.resources))


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class FailingWebhook:
    """A check that refuses what the webhook would be called for, as the API server does."""

    name: str
    rules: tuple[MatchedRequests, ...]
    url: str
    cause: str = REFUSED
    object_selector: Any = None
    namespace_selector: Any = None

    def __call__(self, core: Core, request: AdmissionRequest) -> None:
        """Refuse a request that the webhook would be called for."""
        if not self._is_called(core, request):
            return
        reason = f'failed to call webhook: Post "{self.url}": {self.cause}'
        message = f'failed calling webhook "{self.name}": {reason}'
        causes = {"causes": [{"message": message}]}
        raise ApiError(f"Internal error occurred: {message}", causes)

    def _is_called(self, core: Core, request: AdmissionRequest) -> bool:
        kind = request.kind
        if kind.group == _EXEMPT:
            return False
        operation = "CREATE" if request.old is None else "UPDATE"
        subresource = request.subresource
        if not any(
            each.matches(operation, kind.group, kind.plural, subresource) for each in self.rules
        ):
            return False
        metadata = request.obj["metadata"]
        if not _selects(self.object_selector, metadata.get("labels")):
            return False
        if kind.kind == gvk.NAMESPACE[1]:
            return _selects(self.namespace_selector, metadata.get("labels"))
        namespace = metadata.get("namespace")
        if namespace is None:
            return True
        found = core.namespaces.objects.get(namespace)
        own = None if found is None else found["metadata"].get("labels")
        return _selects(self.namespace_selector, own)


def _selects(selector: Any, own: dict[str, str] | None) -> bool:
    """Whether a label selector matches; none, and an empty one, match everything."""
    return not selector or labels.from_label_selector(selector).matches(own or {})
