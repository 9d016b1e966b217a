from __future__ import annotations

import asyncio
import base64
import datetime as dt
from typing import TYPE_CHECKING, Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from kubestage.errors import InputError
from kubestage.server.identity.issuer import Issuer
from tests.server.identity.clusters import served_cluster

if TYPE_CHECKING:
    import pathlib

    from tests.server.identity.clusters import Cluster

REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
CLIENT = "kubernetes.io/kube-apiserver-client"
KUBELET = "kubernetes.io/kube-apiserver-client-kubelet"
SERVING = "kubernetes.io/kubelet-serving"
KEY = ec.generate_private_key(ec.SECP256R1())
USED = ["digital signature", "client auth"]
SERVED = ["digital signature", "server auth"]


def request(name: str, signer: str, *groups: str, dns: str = "", **spec: Any) -> dict[str, Any]:
    attributes = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, each) for each in groups]
    subject = x509.Name([*attributes, x509.NameAttribute(NameOID.COMMON_NAME, name)])
    builder = x509.CertificateSigningRequestBuilder(subject)
    if dns:
        names = x509.SubjectAlternativeName([x509.DNSName(dns)])
        builder = builder.add_extension(names, critical=False)
    made = builder.sign(KEY, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    content = base64.b64encode(made).decode()
    return {
        "metadata": {"name": "r"},
        "spec": {"request": content, "signerName": signer, "usages": USED, **spec},
    }


async def approved(cluster: Cluster, body: dict[str, Any]) -> Any:
    """The request after somebody has approved it."""
    made = await cluster.call("POST", REQUESTS, body)
    assert made.status == 201, made.json
    condition = {"type": "Approved", "status": "True", "reason": "x", "message": "y"}
    body = {**made.json, "status": {"conditions": [condition]}}
    assert (await cluster.call("PUT", f"{REQUESTS}/r/approval", body)).status == 200
    return (await cluster.call("GET", f"{REQUESTS}/r")).json["status"]


def test_an_approved_client_certificate_is_signed_by_the_clusters_authority() -> None:
    async def story() -> None:
        async with served_cluster() as cluster:
            body = request("bob", CLIENT, "team", expirationSeconds=3600)
            pending = await cluster.call("POST", REQUESTS, body)
            assert pending.json["status"] == {}
            await cluster.call("DELETE", f"{REQUESTS}/r")
            status = await approved(cluster, body)
            signed = x509.load_pem_x509_certificate(base64.b64decode(status["certificate"]))
            authority = cluster.served.live.issuer.authority.certificate.encode()
            signed.verify_directly_issued_by(x509.load_pem_x509_certificate(authority))
            assert signed.subject.rfc4514_string() == "CN=bob,O=team"
            begun = dt.datetime(2026, 5, 1, tzinfo=dt.UTC)
            assert signed.not_valid_before_utc == begun - dt.timedelta(minutes=5)
            assert signed.not_valid_after_utc == begun + dt.timedelta(hours=1)
            extended = signed.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
            assert list(extended) == [ExtendedKeyUsageOID.CLIENT_AUTH]

    asyncio.run(story())


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (request("bob", CLIENT, usages=["server auth"]), "invalid usage for client certificate"),
        (
            request("bob", CLIENT, usages=["digital signature"]),
            "missing required usage for client certificate: client auth",
        ),
        (
            request("system:node:a", SERVING, "system:nodes", usages=SERVED),
            "DNS or IP subjectAltName is required",
        ),
        (
            request("system:node:a", SERVING, "system:nodes", dns="a"),
            "usages did not match [digital signature key encipherment server auth]",
        ),
        (
            request("a", SERVING, "system:nodes", dns="a", usages=SERVED),
            "subject common name does not begin with system:node:",
        ),
        (request("system:node:a", KUBELET, "others"), "organization is not system:nodes"),
        (
            request("system:node:a", KUBELET, "system:nodes", dns="a"),
            "DNS subjectAltNames are not allowed",
        ),
    ],
)
def test_what_a_signer_does_not_sign_has_failed(body: dict[str, Any], problem: str) -> None:
    async def story() -> None:
        async with served_cluster() as cluster:
            status = await approved(cluster, body)
            assert "certificate" not in status
            failed = status["conditions"][-1]
            assert (failed["type"], failed["reason"]) == ("Failed", "SignerValidationFailure")
            assert problem in failed["message"]

    asyncio.run(story())


def test_kubelets_get_their_certificates_without_anybody() -> None:
    async def story() -> None:
        async with served_cluster() as cluster:
            node = {"impersonate-user": "system:node:a", "impersonate-group": "system:nodes"}
            body = request("system:node:a", KUBELET, "system:nodes")
            assert (await cluster.call("POST", REQUESTS, body, **node)).status == 201
            status = (await cluster.call("GET", f"{REQUESTS}/r")).json["status"]
            (condition,) = status["conditions"]
            assert condition["reason"] == "AutoApproved"
            assert condition["message"].startswith("Auto approving self kubelet client")
            assert status["certificate"]

    asyncio.run(story())


def test_other_signers_and_serving_certificates_wait_for_others() -> None:
    async def story() -> None:
        async with served_cluster() as cluster:
            assert "certificate" not in await approved(cluster, request("x", "example.com/mine"))
            await cluster.call("DELETE", f"{REQUESTS}/r")
            serving = request("system:node:a", SERVING, "system:nodes", dns="a", usages=SERVED)
            assert (await cluster.call("POST", REQUESTS, serving)).json["status"] == {}
            await cluster.call("DELETE", f"{REQUESTS}/r")
            assert (await approved(cluster, serving))["certificate"]

    asyncio.run(story())


def test_nobody_becomes_a_master_by_a_certificate() -> None:
    async def story() -> None:
        async with served_cluster() as cluster:
            refused = await cluster.call("POST", REQUESTS, request("x", CLIENT, "system:masters"))
            assert refused.status == 403
            assert refused.json["message"].endswith(
                f"use of {CLIENT} signer with system:masters group is not allowed"
            )

    asyncio.run(story())


def test_the_authority_is_kept_in_the_home_of_the_server(tmp_path: pathlib.Path) -> None:
    made = Issuer(tmp_path).authority
    assert Issuer(tmp_path).authority.certificate == made.certificate
    (tmp_path / "pki" / "ca.key").write_text("junk")
    with pytest.raises(InputError, match="holds no certificate with its key"):
        Issuer(tmp_path).authority  # noqa: B018
