from __future__ import annotations

from typing import Any

from kubestage.objects.validation import pod_options, volume_certificates
from tests.objects.validation.pod_specs import problems, spec, texts

AT = "spec.volumes[0].projected"
CONFLICT = "conflicting duplicate paths"


def _problems(
    *sources: dict[str, Any],
    options: pod_options.PodValidationOptions = pod_options.NEW_POD,
) -> list[str]:
    volume = {"name": "v", "projected": {"sources": list(sources)}}
    return problems(spec(volumes=[volume]), options=options)


def test_each_source_is_of_one_kind() -> None:
    assert _problems({"secret": {"name": "s"}, "configMap": {"name": "m"}}) == [
        f"{AT}.sources[0]: Forbidden: may not specify more than 1 volume type per source"
    ]


def test_a_path_is_written_once_and_the_later_source_is_blamed() -> None:
    item = {"key": "k", "path": "p"}
    file = {"path": "p", "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}}
    assert _problems(
        {"secret": {"name": "s", "items": [item]}},
        {"configMap": {"name": "m", "items": [item]}},
        {"downwardAPI": {"items": [file]}},
    ) == [
        f'{AT}: Invalid value: "m": {CONFLICT}',
        f'{AT}: Invalid value: "p": {CONFLICT}',
    ]


def test_tokens_live_long_enough_and_not_too_long() -> None:
    short = {"serviceAccountToken": {"expirationSeconds": 599}}
    long = {"serviceAccountToken": {"expirationSeconds": 2**32 + 1, "path": "../t"}}
    assert _problems(short, long) == [
        (
            f"{AT}.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 599: may not "
            "specify a duration less than 10 minutes"
        ),
        f"{AT}.path: Required value",
        (
            f"{AT}.sources[1].serviceAccountToken.expirationSeconds: Invalid value: 4294967297: "
            "may not specify a duration larger than 2^32 seconds"
        ),
        f"{AT}.path: Invalid value: \"../t\": must not contain '..'",
    ]
    loose = pod_options.PodValidationOptions(allow_non_local_projected_token_path=True)
    token = {"serviceAccountToken": {"expirationSeconds": 600, "path": "../t"}}
    assert _problems(token, options=loose) == []


def test_trust_bundles_come_by_name_or_by_signer() -> None:
    bundle = {"path": "ca", "name": "a", "signerName": "b.c/d"}
    assert _problems({"clusterTrustBundle": bundle}) == [
        (
            f'{AT}.sources[0].clusterTrustBundle: Invalid value: {{"Name":"a","SignerName":"b.c/d",'
            '"LabelSelector":null,"Optional":null,"Path":"ca"}: only one of name and signerName '
            "may be used"
        )
    ]
    assert _problems({"clusterTrustBundle": {}}) == [
        (
            f"{AT}.sources[0].clusterTrustBundle: Required value: either name or signerName must "
            "be specified"
        ),
        f"{AT}.sources[0].clusterTrustBundle.path: Required value",
    ]


def test_trust_bundles_of_a_signer_carry_its_name() -> None:
    detail = "not a valid clustertrustbundlename: ClusterTrustBundle"
    at = f"{AT}.sources[0].clusterTrustBundle"
    for name, message in {
        "a.b:c:d": None,
        ":d": f'{detail} without signer name must not have ":" in its name',
        "a/b:d": f"{detail} for signerName a/b must be named with prefix a:b:",
    }.items():
        expected = [] if message is None else [f'{at}.name: Invalid value: "{name}": {message}']
        assert _problems({"clusterTrustBundle": {"path": "ca", "name": name}}) == expected


def test_an_empty_name_is_a_name_that_is_missing() -> None:
    missing, invalid = _problems({"clusterTrustBundle": {"path": "ca", "name": ""}})
    at = f"{AT}.sources[0].clusterTrustBundle.name"
    assert missing == f"{at}: Required value: must be a valid object name"
    assert invalid.startswith(f'{at}: Invalid value: "": not a valid clustertrustbundlename: a low')


def test_a_named_bundle_takes_no_selector_and_a_signer_must_be_valid() -> None:
    selector = {"matchLabels": {"a": "b"}}
    named = {"path": "ca", "name": "n", "labelSelector": selector}
    signed = {"path": "cb", "signerName": "", "labelSelector": {"matchLabels": {"a b": "c"}}}
    at = f"{AT}.sources"
    no_selector, empty, missing, label = _problems(
        {"clusterTrustBundle": named}, {"clusterTrustBundle": signed}
    )
    assert no_selector == (
        f'{at}[0].clusterTrustBundle.labelSelector: Invalid value: {{"matchLabels":{{"a":"b"}}}}: '
        "labelSelector must be unset if name is specified"
    )
    assert empty == (
        f"{at}[1].clusterTrustBundle.signerName: Required value: must be a valid signer name"
    )
    assert missing == f"{at}[1].clusterTrustBundle.signerName: Required value"
    assert label.startswith(f"{at}[1].clusterTrustBundle.labelSelector.matchLabels: Invalid value")


def test_pod_certificates() -> None:
    at = f"{AT}.sources[0].podCertificate"
    assert _problems({"podCertificate": {"keyType": "RSA1", "maxExpirationSeconds": 60}}) == [
        f"{at}.signerName: Required value",
        (
            f'{at}.keyType: Unsupported value: "RSA1": supported values: "RSA3072", "RSA4096", '
            '"ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"'
        ),
        (
            f"{at}.maxExpirationSeconds: Invalid value: 60: if provided, maxExpirationSeconds must "
            "be >= 3600"
        ),
        (
            f"{at}: Required value: specify at least one of credentialBundlePath, keyPath, and "
            "certificateChainPath"
        ),
    ]
    certificate = {
        "signerName": "x.kubernetes.io/y",
        "keyType": "ED25519",
        "maxExpirationSeconds": 86401,
        "keyPath": "k",
        "certificateChainPath": "k",
        "userAnnotations": {"Plain": "1", "acme.io/Foo": "2", "": "3", "a b/c": "4"},
    }
    plain, empty, bad, expiration, conflict = _problems({"podCertificate": certificate})
    assert plain == (
        f'{at}.userAnnotations: Invalid value: "plain": must be a domain-prefixed key (such as '
        '"acme.io/foo")'
    )
    assert empty == f"{at}.userAnnotations: Required value"
    assert bad.startswith(f'{at}.userAnnotations: Invalid value: "a b/c": prefix part')
    assert expiration.endswith("maxExpirationSeconds must be <= 86400")
    assert conflict == f'{AT}: Invalid value: "k": {CONFLICT}'


def test_user_annotations_are_limited_in_size() -> None:
    certificate = {
        "signerName": "a.b/c",
        "keyType": "ED25519",
        "keyPath": "k",
        "userAnnotations": {"acme.io/a": "x" * 256 * 1024},
    }
    errors = volume_certificates.validate_pod_certificate(certificate, "c")
    assert texts(errors) == ["c.userAnnotations: Too long: may not be more than 262144 bytes"]


def test_signers_are_a_domain_and_a_path() -> None:
    def check(name: str) -> list[str]:
        return texts(volume_certificates.validate_signer_name(name, "s"))

    form = "must be a fully qualified domain and path of the form 'example.com/signer-name'"
    assert check("example.com/a.b") == []
    assert check("example.com") == [f's: Invalid value: "example.com": {form}']
    assert check("a.b/c/d") == [f's: Invalid value: "a.b/c/d": {form}']
    assert check("single/x") == [
        (
            's: Invalid value: "single": should be a domain with at least two segments separated '
            "by dots"
        )
    ]
    label, path = check("A.b/C")
    assert label.startswith('s: Invalid value: "A.b": validating label "A": a lowercase RFC 1123 l')
    assert path.startswith('s: Invalid value: "C": validating label "C": a lowercase RFC 1123 s')
    domain = ".".join(["a" * 63] * 5)
    long_domain, long_name = check(f"{domain}/{'b' * 252}")
    assert long_domain == "s: Too long: may not be more than 253 bytes"
    assert long_name == "s: Too long: may not be more than 571 bytes"
