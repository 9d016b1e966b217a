from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.objects.custom.samples import changes, definition, established, problems

if TYPE_CHECKING:
    from kubestage.aliases import Json

PEM = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCg=="


def converted(strategy: str = "Webhook", **webhook: Any) -> list[str]:
    parts = {"conversionReviewVersions": ["v1"], **webhook}
    return problems(definition(conversion={"strategy": strategy, "webhook": parts}))


CLIENT = "spec.conversion.webhookClientConfig"
URL = f"{CLIENT}.url: Invalid value:"
PORT = "port is not valid: must be between 1 and 65535, inclusive"
FORM = "; desired format: https://host[/path]"


@pytest.mark.parametrize(
    ("client", "texts"),
    [
        ({"url": "https://a.b/c"}, []),
        (None, [f"{CLIENT}: Required value: required when strategy is set to Webhook"]),
        ({}, [f"{CLIENT}: Required value: exactly one of url or service is required"]),
        (
            {"url": "http://u@/x?q=1#f"},
            [
                f"{URL} \"http\": 'https' is the only allowed URL scheme{FORM}",
                f'{URL} "": host must be specified{FORM}',
                f'{URL} "u": user information is not permitted in the URL',
                f'{URL} "f": fragments are not permitted in the URL',
                f'{URL} "q=1": query parameters are not permitted in the URL',
            ],
        ),
        (
            {"service": {"name": "n", "namespace": "", "port": 0, "path": "x//y"}},
            [
                f"{CLIENT}.service.name: Required value",
                f"{CLIENT}.service.port: Invalid value: 0: {PORT}",
                f"{CLIENT}.service.path: Invalid value: \"x//y\": must start with a '/'",
                f'{CLIENT}.service.path: Invalid value: "x//y": segment[0] may not be empty',
                f'{CLIENT}.service.path: Invalid value: "x//y": segment[1] may not be empty',
            ],
        ),
    ],
)  # fmt: skip
def test_a_webhook_has_one_good_address(client: Any, texts: list[str]) -> None:
    assert converted(clientConfig=client) == texts


def test_a_webhook_speaks_a_version_that_is_known() -> None:
    good = {"url": "https://a.b"}
    path = "spec.conversion.conversionReviewVersions"
    assert converted(clientConfig=good, conversionReviewVersions=[]) == [f"{path}: Required value"]
    assert converted(clientConfig=good, conversionReviewVersions=["v7", "v7"]) == [
        f'{path}[1]: Invalid value: "v7": duplicate version',
        f'{path}: Invalid value: ["v7","v7"]: must include at least one of v1, v1beta1',
    ]
    text = "should not be set when strategy is not set to Webhook"
    assert converted("None", clientConfig=good) == [
        f"{CLIENT}: Forbidden: {text}",
        f"{path}: Forbidden: {text}",
    ]


def test_a_bundle_must_be_one_once_the_definition_is_served() -> None:
    def webhook(bundle: str) -> Json:
        client = {"url": "https://a.b", "caBundle": bundle}
        parts = {"clientConfig": client, "conversionReviewVersions": ["v1"]}
        return {"strategy": "Webhook", "webhook": parts}

    assert changes(definition(), conversion=webhook("eA==")) == []
    assert changes(established(), conversion=webhook(PEM)) == []
    assert changes(established(conversion=webhook("eA==")), conversion=webhook("eQ==")) == []
    assert changes(established(), conversion=webhook("eA==")) == [
        (
            f'{CLIENT}.caBundle: Invalid value: "eA==": unable to load root certificates: unable '
            "to parse bytes as PEM block"
        )
    ]
