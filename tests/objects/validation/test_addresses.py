from __future__ import annotations

import hypothesis
import pytest
from hypothesis import strategies

from kubestage.objects.validation import addresses


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("10.9.8.7", None),
        ("2001:db8::1", None),
        ("", "must be a valid IP address"),
        ("fe80::1%eth0", "must be a valid IP address"),
        ("10.009.8.7", "must not have leading 0s"),
        ("::ffff:1.2.3.4", "must not be an IPv4-mapped IPv6 address"),
    ],
)
def test_an_address_must_not_be_ambiguous(text: str, problem: str | None) -> None:
    problems = addresses.is_valid_ip_for_legacy_field(text)
    assert (problems == ()) if problem is None else problems[0].startswith(problem)


def test_new_fields_take_the_canonical_form_only() -> None:
    assert addresses.is_valid_ip("2001:DB8:0::1") == ('must be in canonical form ("2001:db8::1")',)
    assert addresses.is_cidr("2001:db8:0::/64") == ('must be in canonical form ("2001:db8::/64")',)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("10.0.0.0/8", None),
        ("10.0.0.0", "must be a valid CIDR value"),
        ("10.0.0.0/33", "must be a valid CIDR value"),
        ("10.0.0.0/08", "must not have leading 0s in IP or prefix length"),
        ("::ffff:1.2.3.0/120", "must not have an IPv4-mapped IPv6 address"),
        ("10.0.0.1/8", "must not have bits set beyond the prefix length"),
    ],
)
def test_a_block_starts_where_its_prefix_ends(text: str, problem: str | None) -> None:
    problems = addresses.is_cidr_for_legacy_field(text)
    assert (problems == ()) if problem is None else problems[0].startswith(problem)


def test_one_address_of_each_family_makes_a_dual_stack() -> None:
    parse = addresses.parse_sloppy
    assert addresses.has_both_families(map(parse, ["1.2.3.4", "::1"]))
    assert not addresses.has_both_families(map(parse, ["1.2.3.4", "1.2.3.5"]))
    assert not addresses.has_both_families(map(parse, ["1.2.3.4", "::ffff:1.2.3.5"]))
    assert addresses.dual_stack_problem(["1.2.3.4", "x"]) == "ip <nil> is invalid"
    assert addresses.dual_stack_cidr_problem(["10.0.0.0/8", "x"]) == (
        "invalid CIDR[1]: <nil> (invalid CIDR address: x)"
    )


@hypothesis.given(strategies.ip_addresses())
def test_the_canonical_form_of_an_address_is_accepted(address: addresses.Address) -> None:
    if not addresses.is_mapped(address):
        assert addresses.is_valid_ip(addresses.canonical(address)) == ()
