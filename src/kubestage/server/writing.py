"""Create, update and patch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import warnings
from kubestage.objects.custom import decoding
from kubestage.server import bodies, callers, options
from kubestage.server.live import Write
from kubestage.server.response import warning_headers

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.objects.patches import PatchType
    from kubestage.server.context import Context
    from kubestage.server.options import WriteOptions
    from kubestage.server.presentation import View
    from kubestage.server.response import Response

_SIGNED: Final = ("certificates.k8s.io", "CertificateSigningRequest")
_CALLER: Final = ("username", "uid", "groups", "extra")


def create(context: Context) -> Response:
    """Store what the body holds."""
    target = context.target
    view = context.view()
    asked = options.write_options(context.request, "CreateOptions")
    obj = _decoded(context, asked)
    if (target.kind.group, target.kind.kind) == _SIGNED:
        # Who wants a certificate is known here only, whatever the request says.
        spec = {key: part for key, part in (obj.get("spec") or {}).items() if key not in _CALLER}
        obj = {**obj, "spec": {**spec, **callers.of(context.request)}}
    context.warnings += warnings.repeated_owners(obj)
    return created(context, view, asked, obj)


def created(
    context: Context,
    view: View,
    asked: WriteOptions,
    obj: dict[str, Any],
    complete: Callable[[dict[str, Any]], dict[str, Any]] | None = None,
) -> Response:
    """Store a new object; `complete` adds what was prepared apart."""
    target, store = context.target, context.live.store
    made = store.create(
        obj,
        kind=target.kind,
        namespace=target.namespace,
        dry_run=asked.dry_run,
        manager=asked.manager,
        warnings=context.warnings,
        complete=complete,
    )
    if complete is not None:
        obj = complete({"metadata": {}, **obj})
    _tell(context, "create", made["metadata"]["name"], obj, made, asked)
    return view.respond(made, 201, warning_headers(context.warnings))


def update(context: Context) -> Response:
    """Replace an object by what the body holds."""
    target, store = context.target, context.live.store
    view = context.view()
    asked = options.write_options(context.request, "UpdateOptions")
    obj = _decoded(context, asked)
    context.warnings += warnings.repeated_owners(obj)
    is_new = _present(context) is None
    updated = store.update(
        obj,
        kind=target.kind,
        name=target.name,
        namespace=target.namespace,
        subresource=target.subresource,
        dry_run=asked.dry_run,
        manager=asked.manager,
        warnings=context.warnings,
    )
    _tell(context, "update", target.name, obj, updated, asked)
    status = 201 if is_new else 200
    return view.respond(updated, status, warning_headers(context.warnings))


def patch(context: Context) -> Response:
    """Change part of an object, or apply a configuration to it."""
    target, store = context.target, context.live.store
    kind = bodies.patch_type(context.request)
    if kind is None:
        return _apply(context)
    view = context.view()
    asked = options.write_options(context.request, "PatchOptions")
    body = bodies.patch(context.request.body)
    patched = store.patch(
        target.kind,
        target.name,
        body,
        target.namespace,
        patch_type=kind,
        subresource=target.subresource,
        dry_run=asked.dry_run,
        field_validation=asked.field_validation,
        warnings=context.warnings,
        manager=asked.manager,
    )
    _tell(context, "patch", target.name, body, patched, asked, kind)
    return view.respond(patched, 200, warning_headers(context.warnings))


def _apply(context: Context) -> Response:
    target, store = context.target, context.live.store
    view = context.view()
    asked = options.write_options(context.request, "PatchOptions", is_apply=True)
    body = bodies.yaml_value(context.request.body)
    applied = store.apply(
        target.kind,
        target.name,
        body,
        target.namespace,
        manager=asked.manager,
        force=bool(asked.force),
        subresource=target.subresource,
        dry_run=asked.dry_run,
        field_validation=asked.field_validation,
        warnings=context.warnings,
    )
    _tell(context, "apply", target.name, body, applied.object, asked)
    status = 201 if applied.created else 200
    return view.respond(applied.object, status, warning_headers(context.warnings))


def _decoded(context: Context, asked: WriteOptions) -> dict[str, Any]:
    if context.target.subresource == "scale":
        decoded = bodies.decoded(context.request, "autoscaling/v1", "Scale", asked.field_validation)
    else:
        kind = context.kind
        body = bodies.json_or_dict(context.request, kind.api_version, kind.kind)
        decoded = decoding.decode(body, kind, asked.field_validation)
    context.warnings += decoded.warnings
    return decoded.object


def _present(context: Context) -> dict[str, Any] | None:
    """The object as it is now, if it is there."""
    target = context.target
    key = f"{target.namespace}/{target.name}" if target.kind.namespaced else target.name
    return context.live.store.read(target.kind).get(key)


def _tell(
    context: Context,
    verb: str,
    name: str,
    body: Any,
    result: dict[str, Any],
    asked: WriteOptions,
    patch_type: PatchType | None = None,
) -> None:
    if asked.dry_run:
        return
    target = context.target
    context.live.wrote(
        Write(
            verb,
            target.kind,
            target.namespace,
            name,
            target.subresource,
            body,
            patch_type,
            context.request.user_agent,
            result,
        )
    )
