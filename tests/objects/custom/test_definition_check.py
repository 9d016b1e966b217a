from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.objects.custom import definition_check
from tests.objects.custom.samples import (
    changes,
    definition,
    established,
    problems,
    struct,
    version,
)

if TYPE_CHECKING:
    from kubestage.aliases import Json

DNS_1035 = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
    "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', "
    "regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
)


def named(**names: Any) -> Json:
    made = definition()
    made["spec"]["names"].update(names)
    return made


def test_a_good_definition_passes() -> None:
    assert problems(definition()) == []


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (
            {**definition(), "metadata": {"name": "x.example.com"}},
            (
                'metadata.name: Invalid value: "x.example.com": must be '
                'spec.names.plural+"."+spec.group'
            ),
        ),
        (
            definition("example"),
            'spec.group: Invalid value: "example": should be a domain with at least one dot',
        ),
        (definition(scope=""), "spec.scope: Required value"),
        (
            definition(scope="X"),
            'spec.scope: Unsupported value: "X": supported values: "Cluster", "Namespaced"',
        ),
        (
            definition(versions=[version("V1")]) | {"status": {"storedVersions": ["V1"]}},
            f'spec.versions[0].name: Invalid value: "V1": {DNS_1035}',
        ),
        (named(singular=""), "spec.names.singular: Required value"),
        (named(shortNames=["A"]), f'spec.names.shortNames[0]: Invalid value: "A": {DNS_1035}'),
        (named(categories=["A"]), f'spec.names.categories[0]: Invalid value: "A": {DNS_1035}'),
        (
            named(listKind="Widget"),
            'spec.names.listKind: Invalid value: "Widget": kind and listKind may not be the same',
        ),
        (
            definition(preserveUnknownFields=True),
            (
                "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set "
                "x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"
            ),
        ),
    ],
)
def test_a_definition_is_refused_in_the_words_of_the_server(made: Json, text: str) -> None:
    assert problems(made)[0] == text


def test_versions_have_names_of_their_own_and_one_is_stored() -> None:
    found = problems(definition(versions=[version(), version()]))
    assert [each.rpartition("]: ")[2] for each in found] == [
        "must contain unique version names",
        "must have exactly one version marked as storage version",
    ]


def test_what_versions_do_not_share_is_told_of_each() -> None:
    bad = {"openAPIV3Schema": struct(spec={})}
    made = definition(versions=[version(), version("v2", storage=False, schema=bad)])
    assert problems(made) == [
        (
            "spec.versions[1].schema.openAPIV3Schema.properties[spec].type: Required value: must "
            "not be empty for specified object fields"
        )
    ]


@pytest.mark.parametrize(
    ("parts", "texts"),
    [
        ({"deprecationWarning": "x"}, ["can only be set for deprecated versions"]),
        ({"deprecated": True, "deprecationWarning": ""}, ["must not be an empty string"]),
        (
            {"deprecated": True, "deprecationWarning": "ä\n" + "x" * 256},
            [
                "must be <= 256 characters long",
                ("must only contain printable UTF-8 characters; non-printable character found at "
                "index 2"),
            ],
        ),
    ],
)  # fmt: skip
def test_a_deprecation_is_told_in_one_printable_line(parts: Json, texts: list[str]) -> None:
    found = problems(definition(versions=[version(**parts)]))
    assert [each.partition('": ')[2] for each in found] == texts


def stored(*versions: str) -> Json:
    made = definition()
    made["status"]["storedVersions"] = list(versions)
    return made


def test_stored_versions_stay_in_the_definition() -> None:
    assert problems(stored()) == [
        "status.storedVersions: Invalid value: null: must have at least one stored version"
    ]
    assert problems(stored("v0")) == [
        'status.storedVersions: Invalid value: ["v0"]: must have the storage version v1',
        ('status.storedVersions[0]: Invalid value: "v0": missing from spec.versions; v0 was '
        "previously a storage version, and must remain in spec.versions until a storage migration "
        "ensures no data remains persisted in v0 and removes v0 from status.storedVersions"),
    ]  # fmt: skip


def test_once_served_scope_and_kind_stay() -> None:
    kind = {**definition()["spec"]["names"], "kind": "Gadget"}
    assert changes(definition(), scope="Cluster", names=kind) == []
    assert changes(established(), scope="Cluster", names=kind) == [
        'spec.scope: Invalid value: "Cluster": field is immutable',
        'spec.names.kind: Invalid value: "Gadget": field is immutable',
    ]


def test_group_and_plural_always_stay() -> None:
    plural = {**definition()["spec"]["names"], "plural": "gadgets"}
    assert changes(definition(), group="other.com", names=plural) == [
        'spec.group: Invalid value: "other.com": field is immutable',
        'spec.names.plural: Invalid value: "gadgets": field is immutable',
    ]


def approved(annotation: str | None, group: str = "x.k8s.io") -> Json:
    made = definition(group)
    if annotation is not None:
        made["metadata"]["annotations"] = {"api-approved.kubernetes.io": annotation}
    return made


SEE = "see https://github.com/kubernetes/enhancements/pull/1111"
AT = "metadata.annotations[api-approved.kubernetes.io]"


@pytest.mark.parametrize("annotation", ["unapproved, a test", "https://github.com/x/y/pull/1"])
def test_groups_of_the_community_name_their_approval(annotation: str) -> None:
    assert problems(approved(annotation)) == []
    assert problems(approved(None, "k8s.io.example.com")) == []


def test_a_protected_group_without_approval_is_refused() -> None:
    must = 'protected groups must have approval annotation "api-approved.kubernetes.io"'
    assert problems(approved(None)) == [f"{AT}: Required value: {must}, {SEE}"]
    assert problems(approved("yes", "kubernetes.io")) == [
        (
            f'{AT}: Invalid value: "yes": {must} with either a URL or a reason starting with '
            f'"unapproved", {SEE}'
        )
    ]


def test_a_definition_that_had_no_approval_needs_none() -> None:
    assert changes(approved(None)) == []
    new = approved("yes")
    found = definition_check.validate_update(new, approved("https://x.y/z"))
    assert [each.field for each in found] == [AT]


def test_a_status_is_judged_by_its_names_alone() -> None:
    new = definition(scope="nonsense")
    new["status"]["acceptedNames"] = {"plural": "A"}
    found = definition_check.validate_status_update(new, new)
    assert [str(each) for each in found] == [
        f'status.acceptedNames.plural: Invalid value: "A": {DNS_1035}'
    ]
