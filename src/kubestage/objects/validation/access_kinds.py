"""Which rules judge who may do what: the rows of ``rules`` for secrets, roles and bindings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.validation import access_control, controller_revisions, secrets

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.objects.validation.field import FieldError

    Rule = Callable[[dict[str, Any]], list[FieldError]]
    UpdateRule = Callable[[dict[str, Any], dict[str, Any]], list[FieldError]]

_RBAC: Final = "rbac.authorization.k8s.io/v1"

CREATE: Final[dict[tuple[str, str], Rule]] = {
    ("v1", "Secret"): secrets.validate_secret,
    ("apps/v1", "ControllerRevision"): controller_revisions.validate_controller_revision,
    (_RBAC, "Role"): access_control.validate_role,
    (_RBAC, "ClusterRole"): access_control.validate_cluster_role,
    (_RBAC, "RoleBinding"): access_control.validate_role_binding,
    (_RBAC, "ClusterRoleBinding"): access_control.validate_cluster_role_binding,
}

UPDATE: Final[dict[tuple[str, str, str], UpdateRule]] = {
    ("v1", "Secret", ""): secrets.validate_secret_update,
    ("apps/v1", "ControllerRevision", ""): (
        controller_revisions.validate_controller_revision_update
    ),
    (_RBAC, "Role", ""): access_control.validate_role_update,
    (_RBAC, "ClusterRole", ""): access_control.validate_cluster_role_update,
    (_RBAC, "RoleBinding", ""): access_control.validate_role_binding_update,
    (_RBAC, "ClusterRoleBinding", ""): access_control.validate_cluster_role_binding_update,
}
