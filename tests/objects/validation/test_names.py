from __future__ import annotations

import hypothesis
import pytest
from hypothesis import strategies

from kubestage.objects.validation import names

LABEL_RULE = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex "
    "used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)


@pytest.mark.parametrize("name", ["a", "0", "web-1", "a" * 63])
def test_a_dns_label_is_lower_case_letters_digits_and_inner_dashes(name: str) -> None:
    assert names.is_dns1123_label(name) == ()


@pytest.mark.parametrize("name", ["", "A", "-a", "a-", "a_b", "a\n", "ä"])
def test_what_is_no_dns_label_is_refused_in_upstreams_words(name: str) -> None:
    assert names.is_dns1123_label(name) == (LABEL_RULE,)


def test_a_subdomain_given_as_a_label_is_told_about_its_dots() -> None:
    assert names.is_dns1123_label("a.b") == ("must not contain dots",)


def test_a_long_bad_name_breaks_two_rules() -> None:
    problems = names.is_dns1123_subdomain("A" * 254)
    assert problems[0] == "must be no more than 253 characters"
    assert problems[1].startswith("a lowercase RFC 1123 subdomain")


def test_lengths_count_bytes_not_characters() -> None:
    assert names.size("ä" * 32) == 64
    assert names.is_valid_label_value("ä" * 32)[0] == "must be no more than 63 bytes"


@pytest.mark.parametrize(
    ("key", "start"),
    [
        ("a/b/c", "a valid label key must consist of"),
        ("/b", "prefix part must be non-empty"),
        ("a/", "name part must be non-empty"),
        ("A/b", "prefix part a lowercase RFC 1123 subdomain"),
        ("x" * 64, "name part must be no more than 63 bytes"),
        ("a b", "name part must consist of"),
    ],
)
def test_a_label_key_names_the_part_that_is_wrong(key: str, start: str) -> None:
    assert names.is_qualified_name(key)[0].startswith(start)


def test_a_label_key_may_have_a_dns_prefix() -> None:
    assert names.is_qualified_name("example.com/My_Name.x") == ()


@pytest.mark.parametrize(
    ("port", "count"), [("http", 0), ("a-b", 0), ("80", 1), ("a--b", 1), ("-a", 1), ("", 2)]
)
def test_a_port_name_is_a_short_service_name(port: str, count: int) -> None:
    assert len(names.is_valid_port_name(port)) == count


@pytest.mark.parametrize(("port", "fine"), [(0, False), (1, True), (65535, True), (65536, False)])
def test_port_numbers_have_sixteen_bits(port: int, fine: bool) -> None:
    assert (names.is_valid_port_num(port) == ()) is fine


@pytest.mark.parametrize(
    ("key", "problem"),
    [
        (".", "must not be '.'"),
        ("..", "must not be '..'"),
        ("..x", "must not start with '..'"),
    ],
)
def test_a_config_key_is_no_way_up_the_tree(key: str, problem: str) -> None:
    assert names.is_config_map_key(key) == (problem,)


def test_an_environment_variable_is_printable_ascii_without_equals() -> None:
    assert names.is_relaxed_env_var_name("MY VAR!") == ()
    assert names.is_relaxed_env_var_name("") == ("environment variable name must be non-empty",)
    for name in ("A=B", "ä", "a\tb"):
        assert len(names.is_relaxed_env_var_name(name)) == 1


def test_a_generated_name_may_end_in_a_dash() -> None:
    assert names.name_is_dns_subdomain("web-", True) == ()
    assert names.name_is_dns_subdomain("web-", False) != ()


@pytest.mark.parametrize("name", [".", "..", "a/b", "a%b"])
def test_a_path_segment_cannot_change_the_path(name: str) -> None:
    assert names.path_segment_name(name, False) != ()


def test_small_rules_have_their_own_words() -> None:
    assert names.is_in_range(5, 1, 3) == ("must be between 1 and 3, inclusive",)
    assert names.is_valid_user_id(-1) == ("must be between 0 and 2147483647, inclusive",)
    assert names.is_valid_percent("1.5%")[0].startswith("a valid percent string")
    assert names.is_http_header_name("a b")[0].startswith("a valid HTTP header")
    assert names.is_c_identifier("1a")[0].startswith("a valid C identifier")
    assert names.is_dns1035_label("1a")[0].startswith("a DNS-1035 label")
    assert names.is_env_var_name("1a")[0].startswith("a valid environment variable name")
    assert names.is_wildcard_dns1123_subdomain("a.b")[0].startswith("a wildcard DNS-1123")
    assert names.is_dns1123_subdomain_with_underscore("_a.b") == ()
    assert names.is_dns1123_subdomain_caseless("Foo.Com") == ()


@hypothesis.given(strategies.text(max_size=70))
def test_every_label_is_a_subdomain(text: str) -> None:
    if not names.is_dns1123_label(text):
        assert not names.is_dns1123_subdomain(text)
        assert not names.path_segment_name(text, False)
