"""Conversion webhooks that are wrong, slow or gone: who is told what, and who is not concerned."""

from __future__ import annotations

import asyncio
import base64
import datetime as dt
import ipaddress
import ssl
from typing import TYPE_CHECKING, Any

import pytest
from aiohttp import web
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.server import calling
from tests.server.outside import conversion_webhook as hosts
from tests.server.outside.conversion_webhook import DEFINITION, GROUP, V1, V2, host

if TYPE_CHECKING:
    import pathlib

    from kubestage.aliases import Json

MERGE = {"content-type": "application/merge-patch+json"}
MAPS = "/api/v1/namespaces/default/configmaps"
OF_ONE = f"conversion webhook for {GROUP}/v1, Kind=Host"
OF_LIST = f"conversion webhook for {GROUP}/v2, Kind=HostList"


def changed(path: str, value: Any) -> Any:
    """What gives the first converted object another value at a path; None takes it away."""

    def spoil(answer: Json) -> Json:
        at = answer["response"]["convertedObjects"][0]
        *way, last = path.split(".")
        for step in way:
            at = at[step]
        at[last] = value
        if value is None:
            del at[last]
        return answer

    return spoil


def with_response(**parts: Any) -> Any:
    return lambda answer: {**answer, "response": {**answer["response"], **parts}}


FAILURES = {
    "gone": (lambda answer: {**answer, "response": None}, " failed: no response provided"),
    "uid": (with_response(uid="x"), None),
    "kind": (
        lambda answer: {**answer, "kind": "Other"},
        (
            " failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, "
            "got apiextensions.k8s.io/v1, Kind=Other"
        ),
    ),
    "refused": (
        with_response(result={"status": "Failure", "message": "not today"}),
        " failed: not today",
    ),
    "no message": (
        with_response(result={}),
        " failed: response.result.status was '', not 'Success'",
    ),
    "too few": (with_response(convertedObjects=[]), " returned 0 objects, expected 1"),
    "version": (
        changed("apiVersion", f"{GROUP}/v3"),
        (
            f" returned invalid object at index 0: invalid groupVersion (expected {GROUP}/v2, "
            f"received {GROUP}/v3)"
        ),
    ),
    "other kind": (
        changed("kind", "Guest"),
        " returned invalid object at index 0: invalid kind (expected Host, received Guest)",
    ),
    "name": (
        changed("metadata.name", "z"),
        " returned invalid object: must have the same name: a != z",
    ),
    "namespace": (
        changed("metadata.namespace", "b"),
        " returned invalid object: must have the same namespace: default != b",
    ),
    "labels": (
        changed("metadata.labels", {"a": 1}),
        (
            " returned invalid metadata: metadata.labels[a] must be a string, but is int64 in "
            "converted object"
        ),
    ),
    "500": (
        lambda _: web.Response(status=500, text="broken"),
        ' failed: an error on the server ("broken") has prevented the request from succeeding',
    ),
}


@pytest.mark.parametrize("name", FAILURES)
def test_an_answer_that_is_wrong_is_an_error_in_upstreams_words(name: str) -> None:
    spoil, expected = FAILURES[name]

    async def story() -> None:
        async with hosts.listening() as hook:
            app = await hosts.served(hook)
            await calling.call(app, "POST", V1, host("a"))
            hook.spoil = spoil
            found = await calling.call(app, "GET", f"{V2}/a")
            assert (found.status, found.json["code"], found.json["status"]) == (500, 500, "Failure")
            assert "reason" not in found.json
            message = found.json["message"]
            if expected is None:
                uid = hook.reviews[0]["request"]["uid"]
                assert message == f'{OF_ONE} failed: expected response.uid="{uid}", got "x"'
            else:
                assert message == OF_ONE + expected
            listed = await calling.call(app, "GET", V2)
            assert listed.status == 500
            assert listed.json["message"].startswith(OF_LIST)
            # Nobody else is concerned, and the next answer counts again.
            assert (await calling.call(app, "GET", V1)).status == 200
            refused = await calling.call(app, "POST", V2, host("b", "v2"))
            assert refused.status == 500
            assert (await calling.call(app, "GET", f"{V1}/b")).status == 404
            hook.spoil = lambda answer: answer
            assert (await calling.call(app, "GET", f"{V2}/a")).json["port"] == "80"

    hosts.run(story)


def test_only_labels_and_annotations_may_be_changed() -> None:
    async def story() -> None:
        async with hosts.listening() as hook:
            app = await hosts.served(hook)
            made = await calling.call(app, "POST", V1, host("a"))

            def spoil(answer: Json) -> Json:
                metadata = answer["response"]["convertedObjects"][0]["metadata"]
                metadata |= {"labels": {"a": "b"}, "resourceVersion": "1", "finalizers": ["x/y"]}
                return answer

            hook.spoil = spoil
            found = await calling.call(app, "GET", f"{V2}/a")
            assert found.json["metadata"] == {**made.json["metadata"], "labels": {"a": "b"}}

    hosts.run(story)


def test_a_webhook_that_cannot_be_reached() -> None:
    async def story() -> None:
        async with hosts.listening() as hook:
            app = await hosts.served(hook)
            await calling.call(app, "POST", V1, host("a"))
        found = await calling.call(app, "GET", f"{V2}/a")
        assert found.status == 500
        assert found.json["message"].startswith(
            f'{OF_ONE} failed: Post "https://convert.shop.svc:443/convert?timeout=30s": dial tcp '
        )
        assert found.json["message"].endswith("connect: connection refused")
        app.live.outside.urls.clear()
        found = await calling.call(app, "GET", f"{V2}/a")
        assert found.json["message"].endswith('service "convert" not found')

    hosts.run(story)


def test_others_are_served_while_a_webhook_is_awaited_and_it_may_use_the_api() -> None:
    async def story() -> None:
        asked, is_over = asyncio.Event(), asyncio.Event()
        async with hosts.listening() as hook:
            app = await hosts.served(hook)
            await calling.call(app, "POST", V1, host("a"))

            async def wait() -> None:
                assert (await calling.call(app, "GET", f"{V1}/a")).status == 200
                asked.set()
                await is_over.wait()

            hook.wait = wait
            reading = asyncio.ensure_future(calling.call(app, "GET", f"{V2}/a"))
            writing = asyncio.ensure_future(calling.call(app, "POST", V2, host("b", "v2")))
            await asked.wait()
            made = await calling.call(app, "POST", MAPS, {"metadata": {"name": "m"}})
            assert made.status == 201
            assert not reading.done()
            assert not writing.done()
            is_over.set()
            assert (await reading).json["host"] == "here"
            assert (await writing).status == 201

    hosts.run(story)


def test_an_object_that_changes_meanwhile_is_converted_again() -> None:
    async def story() -> None:
        async with hosts.listening() as hook:
            app = await hosts.served(hook)
            await calling.call(app, "POST", V1, host("a"))

            async def change_once() -> None:
                hook.wait = None
                await calling.call(app, "PATCH", f"{V1}/a", {"hostPort": "new:1"}, MERGE)

            hook.wait = change_once
            patched = await calling.call(app, "PATCH", f"{V2}/a", {"port": "2"}, MERGE)
            assert (patched.json["host"], patched.json["port"]) == ("new", "2")

    hosts.run(story)


def test_a_changed_conversion_counts_at_once() -> None:
    async def story() -> None:
        async with hosts.listening() as hook, hosts.listening() as other:
            app = await hosts.served(hook)
            await calling.call(app, "POST", V1, host("a"))
            watch = await calling.watch(app, V2)
            assert (await watch.next())["object"]["host"] == "here"
            other.spoil = changed("host", "elsewhere")
            app.live.outside.urls["shop/second"] = other.url
            config = {"service": {**hosts.SERVICE["service"], "name": "second"}}
            conversion = hosts.by_webhook(config, "v1beta1")
            patch = {"spec": {"conversion": conversion}}
            assert (await calling.call(app, "PATCH", DEFINITION, patch, MERGE)).status == 200
            found = await calling.call(app, "GET", V2)
            assert found.json["items"][0]["host"] == "elsewhere"
            assert other.reviews[0]["apiVersion"] == "apiextensions.k8s.io/v1beta1"
            await calling.call(app, "PATCH", f"{V1}/a", {"hostPort": "x:1"}, MERGE)
            assert (await watch.next())["object"]["host"] == "elsewhere"
            await hosts.store_version(app, "v2")
            patch = {"spec": {"conversion": {"strategy": "None", "webhook": None}}}
            changed_back = await calling.call(app, "PATCH", DEFINITION, patch, MERGE)
            assert changed_back.status == 200, changed_back.json
            other.reviews.clear()
            found = await calling.call(app, "GET", f"{V2}/a")
            assert (found.json["apiVersion"], "host" in found.json) == (f"{GROUP}/v2", False)
            assert (hook.sent()[1:], other.sent()) == ([], [])
            # A watch of what was converted ends: its client lists again.
            await calling.call(app, "PATCH", f"{V1}/a", {"metadata": {"labels": {"a": "b"}}}, MERGE)
            assert await watch.next() is None

    hosts.run(story)


def test_a_webhook_by_url_over_tls(tmp_path: pathlib.Path) -> None:
    certificate, context = _identity(tmp_path)

    async def story() -> None:
        async with hosts.listening(context) as hook:
            config: Json = {"url": f"{hook.url}/convert"}
            config["caBundle"] = base64.b64encode(certificate).decode()
            app = await hosts.served(hook, hosts.by_webhook(config))
            await calling.call(app, "POST", V1, host("a"))
            assert (await calling.call(app, "GET", f"{V2}/a")).json["port"] == "80"
            distrusted = {"spec": {"conversion": hosts.by_webhook({"url": config["url"]})}}
            distrusted["spec"]["conversion"]["webhook"]["clientConfig"]["caBundle"] = None
            await calling.call(app, "PATCH", DEFINITION, distrusted, MERGE)
            found = await calling.call(app, "GET", f"{V2}/a")
            assert found.status == 500
            assert "certificate verify failed" in found.json["message"]

    hosts.run(story)


def _identity(place: pathlib.Path) -> tuple[bytes, ssl.SSLContext]:
    """A certificate of loopback that vouches for itself, and a server's side of it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "webhook")])
    now = dt.datetime.now(dt.UTC)
    names = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(names, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
        .public_bytes(serialization.Encoding.PEM)
    )
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    (place / "tls.pem").write_bytes(certificate + private)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(place / "tls.pem")
    return certificate, context
