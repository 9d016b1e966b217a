"""How the versions of a definition are converted into one another: not at all, or by a webhook."""

from __future__ import annotations

import base64
import binascii
import urllib.parse
from typing import TYPE_CHECKING, Final

from kubestage.objects.validation import field, internal_json, names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError


_STRATEGIES: Final = ("None", "Webhook")
_RECOGNIZED: Final = ("v1", "v1beta1")
_FORM: Final = "; desired format: https://host[/path]"
_NOT_WEBHOOK: Final = "should not be set when strategy is not set to Webhook"


def validate(conversion: Json, path: str, *, checks_bundle: bool) -> Iterator[FieldError]:
    """What is wrong with a conversion."""
    strategy = conversion.get("strategy") or ""
    if not strategy:
        yield field.required(f"{path}.strategy")
    elif strategy not in _STRATEGIES:
        yield field.not_supported(f"{path}.strategy", strategy, _STRATEGIES)
    webhook = conversion.get("webhook") or {}
    client, versions = webhook.get("clientConfig"), webhook.get("conversionReviewVersions") or []
    if strategy != "Webhook":
        if client is not None:
            yield field.forbidden(f"{path}.webhookClientConfig", _NOT_WEBHOOK)
        if versions:
            yield field.forbidden(f"{path}.conversionReviewVersions", _NOT_WEBHOOK)
        return
    where = f"{path}.webhookClientConfig"
    if client is None:
        yield field.required(where, "required when strategy is set to Webhook")
    else:
        yield from _client(client, where)
        bundle = client.get("caBundle")
        if bundle and checks_bundle and not is_bundle(bundle):
            text = "unable to load root certificates: unable to parse bytes as PEM block"
            yield field.invalid(f"{where}.caBundle", bundle, text)
    yield from _review_versions(versions, f"{path}.conversionReviewVersions")


def is_bundle(text: str) -> bool:
    """Whether a text holds certificates."""
    try:
        plain = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return False
    return b"-----BEGIN CERTIFICATE-----" in plain


def _client(client: Json, path: str) -> Iterator[FieldError]:
    url, service = client.get("url"), client.get("service")
    if (url is None) == (service is None):
        yield field.required(path, "exactly one of url or service is required")
    elif url is not None:
        yield from _url(url, f"{path}.url")
    elif service is not None:
        yield from _service(service, f"{path}.service")


def _url(text: str, path: str) -> Iterator[FieldError]:
    try:
        url = urllib.parse.urlsplit(text)
    except ValueError as error:
        yield field.required(path, f"url must be a valid URL: {error}{_FORM}")
        return
    if url.scheme != "https":
        why = f"'https' is the only allowed URL scheme{_FORM}"
        yield field.invalid(path, url.scheme, why)
    user, at, host = url.netloc.rpartition("@")
    if not host:
        yield field.invalid(path, "", f"host must be specified{_FORM}")
    if at:
        yield field.invalid(path, user, "user information is not permitted in the URL")
    if url.fragment:
        yield field.invalid(path, url.fragment, "fragments are not permitted in the URL")
    if url.query:
        yield field.invalid(path, url.query, "query parameters are not permitted in the URL")


def _service(service: Json, path: str) -> Iterator[FieldError]:
    # The server mixes the two up, so a missing name is reported for the namespace.
    if not service.get("namespace"):
        yield field.required(f"{path}.name")
    if not service.get("name"):
        yield field.required(f"{path}.namespace")
    port = service.get("port") or 0
    if not 1 <= port <= 65535:
        text = f"port is not valid: {names.inclusive_range_error(1, 65535)}"
        yield field.invalid(f"{path}.port", port, text)
    yield from _service_path(service.get("path"), f"{path}.path")


def _service_path(text: str | None, path: str) -> Iterator[FieldError]:
    if text in (None, "", "/"):
        return
    assert text is not None
    if text == "//":
        yield field.invalid(path, text, "segment[0] may not be empty")
        return
    if not text.startswith("/"):
        yield field.invalid(path, text, "must start with a '/'")
    for index, step in enumerate(text[1:].removesuffix("/").split("/")):
        if not step:
            yield field.invalid(path, text, f"segment[{index}] may not be empty")
        else:
            for problem in names.is_dns1123_subdomain(step):
                yield field.invalid(path, text, f"segment[{index}]: {problem}")


def _review_versions(versions: list[str], path: str) -> Iterator[FieldError]:
    if not versions:
        yield field.required(path)
        return
    for index, version in enumerate(versions):
        if version in versions[:index]:
            yield field.invalid(f"{path}[{index}]", version, "duplicate version")
            continue
        yield from field.invalids(f"{path}[{index}]", version, names.is_dns1035_label(version))
    if not any(version in _RECOGNIZED for version in versions):
        text = f"must include at least one of {', '.join(_RECOGNIZED)}"
        yield field.invalid(path, internal_json.text(versions), text)
