"""Whether API servers behind APIServices are available: the reasons of their condition."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import datetime as dt
import ssl
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from kubestage.server.aggregation import proxying
from kubestage.store import bootstrap as own_objects
from tests.deadlines import HANG_S
from tests.server import calling
from tests.server.outside.aggregating import (
    NAME,
    SERVICES,
    condition,
    create,
    endpoints,
    service,
    serving,
    touch,
)
from tests.server.outside.api_server import API, FRUITS, Fruits, api_service

if TYPE_CHECKING:
    import pathlib

    import pytest

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"


def test_a_server_that_dies_is_unavailable_and_comes_back() -> None:
    async def story() -> None:
        fruits = Fruits()
        async with contextlib.AsyncExitStack() as stack:
            url = await stack.enter_async_context(fruits.listening())
            async with serving(fruits=url) as app:
                await create(app)
                before = await condition(app, "Passed")
                assert (before["status"], before["message"]) == ("True", "all checks passed")
                await stack.aclose()
                lost = await calling.call(app, "GET", FRUITS)
                assert lost.status == 503
                assert lost.body.startswith(b"error trying to reach service: dial tcp 127.0.0.1:")
                await touch(app)
                gone = await condition(app, "FailedDiscoveryCheck")
                assert gone["message"].startswith(f"failing or missing response from {url}{API}: ")
                assert gone["message"].endswith("connect: connection refused")
                refused = await calling.call(app, "GET", FRUITS)
                assert (refused.status, refused.body) == (503, b"service unavailable\n")
                await stack.enter_async_context(fruits.listening())
                await condition(app, "Passed")
                assert (await calling.call(app, "GET", FRUITS)).status == 200

    asyncio.run(story())


def test_a_server_that_hangs_blocks_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        fruits = Fruits()
        async with fruits.listening() as url, serving(0.05, fruits=url) as app:
            fruits.goes_on.clear()
            await create(app)
            hung = await condition(app, "FailedDiscoveryCheck")
            assert hung["message"].endswith(
                "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
            )
            fruits.goes_on.set()
            await condition(app, "Passed")
            fruits.goes_on.clear()
            monkeypatch.setattr(proxying, "TIMEOUT_S", 0.05)
            late = await calling.call(app, "GET", FRUITS)
            assert (late.status, late.json["reason"]) == (504, "Timeout")

    asyncio.run(story())


def test_a_bad_status_is_a_failed_check() -> None:
    async def story() -> None:
        fruits = Fruits()
        fruits.status = 500
        async with fruits.listening() as url, serving(fruits=url) as app:
            await create(app)
            found = await condition(app, "FailedDiscoveryCheck")
            where = f"{url}{API}"
            assert found["message"] == (
                f"failing or missing response from {where}: bad status from {where}: 500"
            )

    asyncio.run(story())


def test_the_service_and_its_endpoints_are_checked_first() -> None:
    async def story() -> None:
        async with serving() as app:
            await create(app)
            found = await condition(app, "ServiceNotFound")
            assert (found["status"], found["message"]) == (
                "False",
                'service/fruits in "shop" is not present',
            )
            services = "/api/v1/namespaces/shop/services"
            await calling.call(app, "POST", services, service(80))
            found = await condition(app, "ServicePortError")
            assert found["message"] == 'service/fruits in "shop" is not listening on port 443'
            await calling.call(app, "DELETE", f"{services}/fruits")
            await condition(app, "ServiceNotFound")
            await calling.call(app, "POST", services, service())
            found = await condition(app, "EndpointsNotFound")
            assert found["message"] == 'cannot find endpointslices for service/fruits in "shop"'
            slices = "/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices"
            empty = {**endpoints("192.0.2.1", 1), "endpoints": []}
            made = await calling.call(app, "POST", slices, empty)
            assert made.status == 201
            found = await condition(app, "MissingEndpoints")
            lack = 'have no addresses with port name "https"'
            assert found["message"] == f'endpointslices for service/fruits in "shop" {lack}'
            refused = await calling.call(app, "GET", FRUITS)
            assert (refused.status, refused.body) == (503, b"service unavailable\n")
            row = (await calling.call(app, "GET", SERVICES, headers={"accept": TABLE})).json["rows"]
            cells = {each["cells"][0]: each["cells"][1:3] for each in row}
            assert cells[NAME] == ["shop/fruits", "False (MissingEndpoints)"]
            assert cells["v1.apps"] == ["Local", "True"]

    asyncio.run(story())


def test_a_simulated_pod_runs_no_program() -> None:
    async def story() -> None:
        async with serving() as app:
            await calling.call(app, "POST", "/api/v1/namespaces/shop/services", service())
            pod = {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {"name": "api", "namespace": "shop"},
                "spec": {"containers": [{"name": "c", "image": "i"}]},
            }
            target = {"kind": "Pod", "name": "api", "namespace": "shop"}
            found = endpoints("10.244.0.5", 8443)
            found["endpoints"][0]["targetRef"] = target
            app.live.store.create(pod)
            app.live.store.create(found)
            await create(app)
            gone = await condition(app, "FailedDiscoveryCheck")
            assert "dial tcp 10.244.0.5:8443: connect: connection refused" in gone["message"]
            assert "pod shop/api is simulated and runs no program" in gone["message"]
            assert (await calling.call(app, "GET", FRUITS)).status == 503
            # The metrics API is modelled, so that its usual manifest changes nothing.
            await create(app, api_service("v1beta1.metrics.k8s.io"))
            metrics = "/apis/metrics.k8s.io/v1beta1/nodes"
            async with asyncio.timeout(HANG_S):
                while (await calling.call(app, "GET", metrics)).status != 200:
                    await asyncio.sleep(0.005)

    asyncio.run(story())


def certified(folder: pathlib.Path, name: str) -> tuple[ssl.SSLContext, bytes]:
    """A server's context whose certificate is for a name, and that certificate in PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "fruits")])
    begins = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
    certificate = (
        x509.CertificateBuilder(
            issuer_name=subject,
            subject_name=subject,
            public_key=key.public_key(),
            serial_number=1,
            not_valid_before=begins,
            not_valid_after=begins + dt.timedelta(days=36500),
        )
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    form = serialization.Encoding.PEM
    encoded = certificate.public_bytes(form)
    private = key.private_bytes(
        form, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / "pem").write_bytes(private + encoded)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "pem")
    return context, encoded


def test_an_endpoint_of_ones_own_is_reached_over_tls(tmp_path: pathlib.Path) -> None:
    async def story() -> None:
        fruits = Fruits()
        context, certificate = certified(tmp_path, "fruits.shop.svc")
        bundle = base64.b64encode(certificate).decode()
        async with fruits.listening(context), serving() as app:
            await calling.call(app, "POST", "/api/v1/namespaces/shop/services", service())
            # A client could not write this one: the API has no place for loopback addresses.
            own_objects.add(app.live.store, endpoints("127.0.0.1", fruits.port), "test")
            await create(app, api_service(caBundle=bundle))
            await condition(app, "Passed")
            assert (await calling.call(app, "GET", FRUITS)).json["kind"] == "FruitList"
            await calling.call(app, "DELETE", f"{SERVICES}/{NAME}")
            await create(app)
            found = await condition(app, "FailedDiscoveryCheck")
            assert "tls: failed to verify certificate" in found["message"]
            await calling.call(app, "DELETE", f"{SERVICES}/{NAME}")
            await create(app, api_service(insecureSkipTLSVerify=True))
            await condition(app, "Passed")

    asyncio.run(story())


def test_a_certificate_for_another_name_is_refused(tmp_path: pathlib.Path) -> None:
    async def story() -> None:
        fruits = Fruits()
        context, certificate = certified(tmp_path, "pears.shop.svc")
        bundle = base64.b64encode(certificate).decode()
        async with fruits.listening(context) as url, serving(fruits=url) as app:
            await create(app, api_service(caBundle=bundle))
            found = await condition(app, "FailedDiscoveryCheck")
            assert "fruits.shop.svc" in found["message"]

    asyncio.run(story())
