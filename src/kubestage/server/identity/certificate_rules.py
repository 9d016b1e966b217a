"""What the built-in signers sign: the subjects, names and usages of certificate requests."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Final

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.x509.oid import NameOID

from kubestage.objects.validation import status
from kubestage.server.identity.authority import names_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind

CLIENT: Final = "kubernetes.io/kube-apiserver-client"
KUBELET_CLIENT: Final = "kubernetes.io/kube-apiserver-client-kubelet"
KUBELET_SERVING: Final = "kubernetes.io/kubelet-serving"
LEGACY: Final = "kubernetes.io/legacy-unknown"
_MASTERS: Final = "system:masters"
_NODE: Final = "system:node:"
_SIGN, _ENCIPHER = "digital signature", "key encipherment"
_CLIENT_AUTH, _SERVER_AUTH = "client auth", "server auth"


def parsed(request: Json) -> x509.CertificateSigningRequest | None:
    """The request in a CertificateSigningRequest; None if it cannot be read or is not its own."""
    try:
        found = x509.load_pem_x509_csr(base64.b64decode(request["spec"].get("request") or ""))
        return found if found.is_signature_valid else None
    except (ValueError, TypeError, InvalidSignature, UnsupportedAlgorithm):
        return None


def problem(request: Json, content: x509.CertificateSigningRequest) -> str | None:
    """Why a built-in signer refuses, empty if it signs; None if this is for another signer."""
    rule = _RULES.get(request["spec"]["signerName"])
    return None if rule is None else rule(set(request["spec"].get("usages") or ()), content)


def check_subject(kind: Kind, request: Json) -> None:
    """Refuse a request by which a client would become an administrator of everything."""
    spec = request.get("spec") or {}
    if spec.get("signerName") != CLIENT or not isinstance(spec.get("request"), str):
        return
    content = parsed(request)
    if content is not None and _MASTERS in organizations(content):
        name = (request.get("metadata") or {}).get("name") or ""
        why = f"use of {CLIENT} signer with {_MASTERS} group is not allowed"
        raise status.forbidden(kind, name, why)


def common_name(content: x509.CertificateSigningRequest) -> str:
    """The name of the subject."""
    found = content.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    return str(found[-1].value) if found else ""


def organizations(content: x509.CertificateSigningRequest) -> list[str]:
    """The groups of the subject."""
    found = content.subject.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)
    return [str(each.value) for each in found]


def _client(usages: set[str], _content: x509.CertificateSigningRequest) -> str:
    others = sorted(usages - {_SIGN, _ENCIPHER, _CLIENT_AUTH})
    if others:
        return f"invalid usage for client certificate: {others[0]}"
    if _CLIENT_AUTH not in usages:
        return f"missing required usage for client certificate: {_CLIENT_AUTH}"
    return ""


def _kubelet_client(usages: set[str], content: x509.CertificateSigningRequest) -> str:
    if organizations(content) != ["system:nodes"]:
        return "subject organization is not system:nodes"
    names = names_of(content)
    for kind, shown in _NAMES.items():
        if any(isinstance(each, kind) for each in names):
            return f"{shown} subjectAltNames are not allowed"
    if not common_name(content).startswith(_NODE):
        return f"subject common name does not begin with {_NODE}"
    return _usage_problem(usages, _CLIENT_AUTH)


def _kubelet_serving(usages: set[str], content: x509.CertificateSigningRequest) -> str:
    if organizations(content) != ["system:nodes"]:
        return "subject organization is not system:nodes"
    names = names_of(content)
    if not any(isinstance(each, (x509.DNSName, x509.IPAddress)) for each in names):
        return "DNS or IP subjectAltName is required"
    for kind in (x509.RFC822Name, x509.UniformResourceIdentifier):
        if any(isinstance(each, kind) for each in names):
            return f"{_NAMES[kind]} subjectAltNames are not allowed"
    unfit = _usage_problem(usages, _SERVER_AUTH)
    if unfit or common_name(content).startswith(_NODE):
        return unfit
    return f"subject common name does not begin with {_NODE}"


def _usage_problem(usages: set[str], purpose: str) -> str:
    needed = {_SIGN, purpose}
    if usages in (needed, needed | {_ENCIPHER}):
        return ""
    return f"usages did not match [{' '.join(sorted(needed | {_ENCIPHER}))}]"


def _anything(_usages: set[str], _content: x509.CertificateSigningRequest) -> str:
    return ""


_NAMES: Final[dict[type[x509.GeneralName], str]] = {
    x509.DNSName: "DNS",
    x509.RFC822Name: "Email",
    x509.IPAddress: "IP",
    x509.UniformResourceIdentifier: "URI",
}
_RULES: Final[dict[str, Callable[[set[str], x509.CertificateSigningRequest], str]]] = {
    CLIENT: _client,
    KUBELET_CLIENT: _kubelet_client,
    KUBELET_SERVING: _kubelet_serving,
    LEGACY: _anything,
}
