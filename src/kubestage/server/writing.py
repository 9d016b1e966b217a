"""Create, update and patch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage import lazy
from kubestage.errors import BadRequest
from kubestage.objects import repeated_keys, warnings
from kubestage.objects.custom import decoding
from kubestage.server import bodies, callers, options
from kubestage.server.live import Write
from kubestage.server.response import Later, warning_headers

with lazy.imports():
    from kubestage.server.identity import certificate_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from kubestage.aliases import Json
    from kubestage.objects.decode import Decoded, FieldValidation
    from kubestage.objects.patches import PatchType
    from kubestage.server.context import RequestContext
    from kubestage.server.options import WriteOptions
    from kubestage.server.presentation import ResponseView
    from kubestage.server.response import Built
    from kubestage.store.planner import Planner
    from kubestage.store.store import Store

    # A write reads its request, has the store do its part, and makes a response of the result.
    Step = Callable[[Store | Planner], Any]
    Steps = Generator[Step, Any, Built]

_SIGNED: Final = ("certificates.k8s.io", "CertificateSigningRequest")
# To encode so much takes a while.
_LONG_BYTES: Final = 8 << 20
_CALLER: Final = ("username", "uid", "groups", "extra")


def create(context: RequestContext) -> Built:
    """Store what the body holds."""
    return at_once(context, _create(context))


def update(context: RequestContext) -> Built:
    """Replace an object by what the body holds."""
    return at_once(context, _update(context))


def patch(context: RequestContext) -> Built:
    """Change part of an object, or apply a configuration to it."""
    return at_once(context, _patch(context))


def at_once(context: RequestContext, steps: Steps) -> Built:
    """Take all steps of a write one after the other."""
    step = next(steps)
    with context.acting():
        result = step(context.live.store)
    return finished(steps, result)


def finished(steps: Steps, result: Any) -> Built:
    """Take the last step of a write, with what the store made of it."""
    try:
        steps.send(result)
    except StopIteration as end:
        response: Built = end.value
        return response
    raise AssertionError("a write has one step")


def _create(context: RequestContext) -> Steps:
    target = context.target
    view = context.view()
    write_options = options.write_options(context.request, "CreateOptions")
    obj = _decoded(context, write_options)
    if (target.kind.group, target.kind.kind) == _SIGNED:
        # The user of a certificate request is set here, whatever the request has.
        spec = {key: part for key, part in (obj.get("spec") or {}).items() if key not in _CALLER}
        obj = {**obj, "spec": {**spec, **callers.client_of(context.live, context.request)}}
        certificate_rules.check_subject(target.kind, obj)
    context.warnings += warnings.repeated_owners(obj)
    stored = yield lambda verbs: verbs.create(
        obj,
        kind=target.kind,
        namespace=target.namespace,
        dry_run=write_options.dry_run,
        manager=write_options.manager,
        warnings=context.warnings,
    )
    return _created(context, view, write_options, obj, stored)


def create_in_parts(
    context: RequestContext,
    view: ResponseView,
    write_options: WriteOptions,
    obj: Json,
    complete: Callable[[Json], Json],
) -> Built:
    """Store a new object; `complete` adds what was prepared apart."""
    target = context.target
    with context.acting():
        stored = context.live.store.create(
            obj,
            kind=target.kind,
            namespace=target.namespace,
            dry_run=write_options.dry_run,
            manager=write_options.manager,
            warnings=context.warnings,
            complete=complete,
        )
    whole = complete({"metadata": {}, **obj})
    _report_write(context, "create", stored["metadata"]["name"], whole, stored, write_options)
    headers = warning_headers(context.warnings)
    if len(context.request.body) < _LONG_BYTES:
        return view.respond(stored, 201, headers)
    return Later(lambda: view.in_pieces(stored, 201, headers))


def _created(
    context: RequestContext,
    view: ResponseView,
    write_options: WriteOptions,
    obj: Json,
    stored: Json,
) -> Built:
    _report_write(context, "create", stored["metadata"]["name"], obj, stored, write_options)
    return view.respond(stored, 201, warning_headers(context.warnings))


def _update(context: RequestContext) -> Steps:
    target = context.target
    view = context.view()
    write_options = options.write_options(context.request, "UpdateOptions")
    obj = _decoded(context, write_options)
    context.warnings += warnings.repeated_owners(obj)
    is_new = context.present is None
    updated = yield lambda verbs: verbs.update(
        obj,
        kind=target.kind,
        name=target.name,
        namespace=target.namespace,
        subresource=target.subresource,
        dry_run=write_options.dry_run,
        manager=write_options.manager,
        warnings=context.warnings,
    )
    _report_write(context, "update", target.name, obj, updated, write_options)
    status = 201 if is_new else 200
    return view.respond(updated, status, warning_headers(context.warnings))


def _patch(context: RequestContext) -> Steps:
    target = context.target
    kind = bodies.patch_type(context.request)
    if kind is None:
        return (yield from _apply(context))
    view = context.view()
    write_options = options.write_options(context.request, "PatchOptions")
    body = bodies.patch(context.request.body)
    patched = yield lambda verbs: verbs.patch(
        target.kind,
        target.name,
        body,
        target.namespace,
        patch_type=kind,
        subresource=target.subresource,
        dry_run=write_options.dry_run,
        field_validation=write_options.field_validation,
        warnings=context.warnings,
        manager=write_options.manager,
        repeated=repeated_keys.of_patch(context.request.body, body, kind),
    )
    _report_write(context, "patch", target.name, body, patched, write_options, kind)
    return view.respond(patched, 200, warning_headers(context.warnings))


def _apply(context: RequestContext) -> Steps:
    target = context.target
    view = context.view()
    write_options = options.write_options(context.request, "PatchOptions", is_apply=True)
    body, repeated = bodies.yaml_text(context.request.body)
    applied = yield lambda verbs: verbs.apply(
        target.kind,
        target.name,
        body,
        target.namespace,
        manager=write_options.manager,
        force=bool(write_options.force),
        subresource=target.subresource,
        dry_run=write_options.dry_run,
        field_validation=write_options.field_validation,
        warnings=context.warnings,
        repeated=repeated,
    )
    _report_write(context, "apply", target.name, body, applied.object, write_options)
    status = 201 if applied.created else 200
    return view.respond(applied.object, status, warning_headers(context.warnings))


STEPS: Final[dict[Any, Callable[[RequestContext], Steps]]] = {
    create: _create, update: _update, patch: _patch,
}  # fmt: skip
"""What each way to write consists of."""


def _decoded(context: RequestContext, write_options: WriteOptions) -> Json:
    repeated = bodies.repeated(context.request)
    if not repeated or write_options.field_validation == "Ignore":
        decoded = _read(context, write_options.field_validation)
        context.warnings += decoded.warnings
        return decoded.object
    decoded = _read(context, "Warn")
    problems = [repeated, *decoded.warnings]
    if write_options.field_validation == "Strict":
        obj = decoded.object
        version = obj["apiVersion"].rpartition("/")[2]
        raise BadRequest(
            f'{obj["kind"]} in version "{version}" cannot be handled as a {obj["kind"]}: '
            f"strict decoding error: {', '.join(problems)}"
        )
    context.warnings += problems
    return decoded.object


def _read(context: RequestContext, field_validation: FieldValidation) -> Decoded:
    if context.target.subresource == "scale":
        return bodies.decoded(context.request, "autoscaling/v1", "Scale", field_validation)
    kind = context.kind
    body = bodies.json_or_dict(context.request, kind.api_version, kind.kind)
    return decoding.decode(body, kind, field_validation)


def _report_write(
    context: RequestContext,
    verb: str,
    name: str,
    body: Any,
    result: Json,
    write_options: WriteOptions,
    patch_type: PatchType | None = None,
) -> None:
    if write_options.dry_run:
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
