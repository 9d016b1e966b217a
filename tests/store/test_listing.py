from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import BadRequest, Expired, Invalid, NotFound, ResourceVersionTooLarge
from kubestage.store import continuation
from kubestage.store.continuation import ContinueExpired
from tests.store.samples import CONFIG_MAP, NODE, POD, config_map, make_store, names, pod

if TYPE_CHECKING:
    from kubestage.store.listing import ObjectList
    from kubestage.store.store import Store


@pytest.fixture
def store() -> Store:
    made = make_store()
    for index, name in enumerate("dacbe"):
        made.create(config_map(name, labels={"n": name, "even": str(index % 2 == 0).lower()}))
    return made


def pages(store: Store, limit: int, **options: Any) -> list[ObjectList]:
    found = [store.list(CONFIG_MAP, "default", limit=limit, **options)]
    while found[-1].continue_token:
        token = found[-1].continue_token
        found.append(
            store.list(CONFIG_MAP, "default", limit=limit, continue_token=token, **options)
        )
    return found


def test_items_come_in_key_order(store: Store) -> None:
    assert names(store.list(CONFIG_MAP).items) == list("abcde")


def test_keys_are_ordered_as_the_api_stores_them() -> None:
    """``/`` sorts after ``-``: namespace ``a-b`` comes before namespace ``a``."""
    store = make_store(implicit_namespaces=True)
    for namespace in ("a", "a-b", "a1"):
        store.create(config_map("x", namespace))
    found = store.list(CONFIG_MAP).items
    assert [obj["metadata"]["namespace"] for obj in found] == ["a-b", "a", "a1"]


def test_the_version_of_a_list_is_that_of_the_store(store: Store) -> None:
    store.create(pod("p"))
    assert store.list(CONFIG_MAP).resource_version == store.resource_version


def test_what_is_listed_is_what_is_stored(store: Store) -> None:
    assert store.list(CONFIG_MAP).items[0] is store.get(CONFIG_MAP, "a")


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("even=true", "cde"),
        ("even!=true", "ab"),
        ("n in (a,e)", "ae"),
        ("n notin (a,e)", "bcd"),
        ("even", "abcde"),
        ("!even", ""),
        ("n=a,even=false", "a"),
    ],
)
def test_label_selectors(store: Store, selector: str, expected: str) -> None:
    assert names(store.list(CONFIG_MAP, label_selector=selector).items) == list(expected)


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("metadata.name=b", "b"),
        ("metadata.name!=b", "acde"),
        ("metadata.name=b,metadata.name=b", "b"),
        ("metadata.name=b,metadata.name=c", ""),
        ("metadata.namespace=default", "abcde"),
        ("metadata.namespace=other", ""),
    ],
)
def test_field_selectors(store: Store, selector: str, expected: str) -> None:
    assert names(store.list(CONFIG_MAP, field_selector=selector).items) == list(expected)


def test_pods_are_found_by_node() -> None:
    store = make_store()
    for index in range(6):
        store.create(pod(f"p{index}"))
        if index % 2:
            store.bind(f"p{index}", "default", f"n{index % 3}")
    assert names(store.list(POD, field_selector="spec.nodeName=n1").items) == ["p1"]
    assert names(store.list(POD, field_selector="spec.nodeName=").items) == ["p0", "p2", "p4"]
    assert names(store.list(POD, field_selector="spec.nodeName!=").items) == ["p1", "p3", "p5"]


def test_selectors_that_cannot_be_read_are_refused(store: Store) -> None:
    with pytest.raises(BadRequest, match=r"unable to parse requirement"):
        store.list(CONFIG_MAP, label_selector="a===b")
    with pytest.raises(BadRequest, match=r'"spec.x" is not a known field selector'):
        store.list(CONFIG_MAP, field_selector="spec.x=1")
    with pytest.raises(BadRequest, match=r"field label not supported: spec.x"):
        store.list(NODE, field_selector="spec.x=1")


def test_a_kind_that_is_not_served_is_not_found(store: Store) -> None:
    with pytest.raises(NotFound, match=r"could not find the requested resource"):
        store.list(("v1", "Nonsense"))


def test_pages_count_what_remains(store: Store) -> None:
    found = pages(store, 2)
    assert [names(page.items) for page in found] == [["a", "b"], ["c", "d"], ["e"]]
    assert [page.remaining for page in found] == [3, 1, None]


def test_a_full_last_page_has_no_successor(store: Store) -> None:
    assert [len(page.items) for page in pages(store, 5)] == [5]


def test_a_selected_list_does_not_say_how_many_remain(store: Store) -> None:
    first = store.list(CONFIG_MAP, "default", label_selector="even", limit=2)
    assert first.continue_token
    assert first.remaining is None


def test_pages_show_one_moment(store: Store) -> None:
    first = store.list(CONFIG_MAP, "default", limit=2)
    store.delete(CONFIG_MAP, "d")
    store.create(config_map("cc"))
    changed = store.patch(CONFIG_MAP, "e", {"data": {"a": "2"}})
    rest = store.list(CONFIG_MAP, "default", limit=9, continue_token=first.continue_token)
    assert names(rest.items) == ["c", "d", "e"]
    assert rest.items[-1]["data"] == {"a": "1"}
    assert rest.resource_version == first.resource_version
    assert changed["data"] == {"a": "2"}


def test_what_remains_is_counted_at_that_moment(store: Store) -> None:
    first = store.list(CONFIG_MAP, "default", limit=1)
    store.delete(CONFIG_MAP, "e")
    store.create(config_map("f"))
    store.create(config_map("g"))
    second = store.list(CONFIG_MAP, "default", limit=1, continue_token=first.continue_token)
    assert second.remaining == 3


def test_a_token_that_is_too_old_says_how_to_go_on() -> None:
    store = make_store(history=4)
    for name in "abc":
        store.create(config_map(name))
    first = store.list(CONFIG_MAP, limit=1)
    for index in range(20):
        store.patch(CONFIG_MAP, "c", {"data": {"a": str(index)}})
    with pytest.raises(ContinueExpired) as refusal:
        store.list(CONFIG_MAP, limit=1, continue_token=first.continue_token)
    store.create(config_map("aa"))
    rest = store.list(CONFIG_MAP, continue_token=refusal.value.token)
    assert names(rest.items) == ["aa", "b", "c"]
    assert rest.resource_version == store.resource_version


def test_an_exact_version_is_shown_as_it_was(store: Store) -> None:
    version = store.resource_version
    store.delete(CONFIG_MAP, "a")
    store.create(config_map("z"))
    now = store.list(CONFIG_MAP, resource_version=version)
    then = store.list(CONFIG_MAP, resource_version=version, resource_version_match=r"Exact")
    assert names(now.items) == list("bcdez")
    assert names(then.items) == list("abcde")
    assert then.resource_version == version


def test_a_version_with_a_limit_is_exact(store: Store) -> None:
    version = store.resource_version
    store.delete(CONFIG_MAP, "a")
    found = store.list(CONFIG_MAP, resource_version=version, limit=2)
    assert names(found.items) == ["a", "b"]


def test_an_exact_version_that_is_forgotten_has_expired() -> None:
    store = make_store(history=4)
    store.create(config_map("a"))
    version = store.resource_version
    for index in range(20):
        store.patch(CONFIG_MAP, "a", {"data": {"a": str(index)}})
    with pytest.raises(Expired, match=r"The resourceVersion for the provided list is too old"):
        store.list(CONFIG_MAP, resource_version=version, resource_version_match=r"Exact")


@pytest.mark.parametrize("match", ["", "Exact", "NotOlderThan"])
def test_a_version_not_yet_reached_is_too_large(store: Store, match: str) -> None:
    with pytest.raises(ResourceVersionTooLarge) as refusal:
        store.list(CONFIG_MAP, resource_version="999", resource_version_match=match)
    status = refusal.value.status
    assert status["code"] == 504
    assert status["message"] == "Timeout: Too large resource version: 999, current: 12"
    assert status["details"]["causes"][0]["reason"] == "ResourceVersionTooLarge"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"resource_version_match": "Exact"}, "forbidden unless resourceVersion is provided"),
        (
            {"resource_version_match": "Exact", "resource_version": "0"},
            'resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
        ),
        (
            {"resource_version_match": "Bogus", "resource_version": "1"},
            'Unsupported value: "Bogus": supported values: "Exact", "NotOlderThan", ""',
        ),
        (
            {
                "resource_version_match": "NotOlderThan",
                "resource_version": "1",
                "continue_token": "x",
            },
            "resourceVersionMatch is forbidden when continue is provided",
        ),
    ],
)
def test_options_that_contradict_each_other_are_refused(
    store: Store, options: dict[str, str], message: str
) -> None:
    with pytest.raises(Invalid, match=r'^ListOptions\.meta\.k8s\.io "" is invalid: ') as refusal:
        store.list(CONFIG_MAP, **options)  # type: ignore[arg-type] # all are texts
    assert message in refusal.value.message


@pytest.mark.parametrize("version", ["abc", "-1", "1.5", "99999999999999999999999"])
def test_a_version_is_a_number(store: Store, version: str) -> None:
    with pytest.raises(BadRequest, match=r"^invalid resource version: resourceVersion: Invalid"):
        store.list(CONFIG_MAP, resource_version=version)


def test_a_token_of_another_store_may_be_too_new(store: Store) -> None:
    token = continuation.encode(continuation.ContinueToken(999, "a"))
    with pytest.raises(ResourceVersionTooLarge):
        store.list(CONFIG_MAP, continue_token=token)


def test_a_token_brings_its_own_version(store: Store) -> None:
    token = store.list(CONFIG_MAP, limit=1).continue_token
    with pytest.raises(BadRequest, match=r"not allowed when using continue"):
        store.list(CONFIG_MAP, continue_token=token, resource_version="3")
