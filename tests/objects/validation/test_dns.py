from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects.validation import dns
from tests.objects.validation.pod_specs import problems, spec

AT = "spec.dnsConfig"


def test_policies() -> None:
    assert problems(spec(dnsPolicy="Default")) == []
    assert problems(spec(dnsPolicy="Own")) == [
        (
            'spec.dnsPolicy: Unsupported value: "Own": supported values: '
            '"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"'
        )
    ]


def test_policy_none_needs_a_nameserver() -> None:
    assert problems(spec(dnsPolicy="None")) == [
        f"{AT}: Required value: must provide `dnsConfig` when `dnsPolicy` is None"
    ]
    assert problems(spec(dnsPolicy="None", dnsConfig={"searches": ["A"]})) == [
        (
            f"{AT}.nameservers: Required value: must provide at least one DNS nameserver when "
            "`dnsPolicy` is None"
        )
    ]
    assert problems(spec(dnsPolicy="None", dnsConfig={"nameservers": ["1.2.3.4"]})) == []


def test_other_policies_need_no_settings() -> None:
    assert dns.validate_dns_config(None, "Default", AT) == []


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"searches": [".", "a.b.", "_tcp.a_b"], "options": [{"name": "ndots", "value": "2"}]}, []),
        (
            {"nameservers": ["1.2.3.4", "::ffff:1.2.3.4", "01.2.3.4", "x"]},
            [
                (
                    '.nameservers: Invalid value: ["1.2.3.4","::ffff:1.2.3.4","01.2.3.4","x"]: '
                    "must not have more than 3 nameservers"
                ),
                (
                    '.nameservers[1]: Invalid value: "::ffff:1.2.3.4": must not be an IPv4-mapped '
                    "IPv6 address"
                ),
                '.nameservers[2]: Invalid value: "01.2.3.4": must not have leading 0s',
                (
                    '.nameservers[3]: Invalid value: "x": must be a valid IP address, (e.g. '
                    "10.9.8.7 or 2001:db8::ffff)"
                ),
            ],
        ),
        ({"options": [{}]}, [".options[0]: Required value: must not be empty"]),
    ],
)
def test_settings_of_the_resolver(config: dict[str, Any], expected: list[str]) -> None:
    assert problems(spec(dnsConfig=config)) == [f"{AT}{problem}" for problem in expected]


def test_search_domains_are_few_and_short() -> None:
    searches = ["a" * 63] * 33
    count, size = problems(spec(dnsConfig={"searches": searches}))
    assert count.endswith("must not have more than 32 search paths")
    assert size.endswith(
        "must not have more than 2048 characters (including spaces) in the search list"
    )
    assert count.startswith(f'{AT}.searches: Invalid value: ["aaa')
    (problem,) = problems(spec(dnsConfig={"searches": ["A."]}))
    assert problem.startswith(f'{AT}.searches[0]: Invalid value: "A": a lowercase RFC 1123')


def test_host_aliases() -> None:
    aliases = [{"ip": "x", "hostnames": ["a.b", "A"]}]
    address, hostname = problems(spec(hostAliases=aliases))
    assert address.startswith('spec.hostAliases[0].ip: Invalid value: "x": must be a valid IP')
    assert hostname.startswith('spec.hostAliases[0].hostnames[1]: Invalid value: "A": a lowercase')


def test_a_hostname_of_its_own_excludes_other_ways_to_have_one() -> None:
    at = "spec.hostnameOverride"
    given = spec(hostnameOverride="a" * 64 + ".b", setHostnameAsFQDN=True, hostNetwork=True)
    assert problems(given) == [
        f"{at}: Forbidden: may not be specified when setHostnameAsFQDN is true",
        f"{at}: Forbidden: may not be specified when hostNetwork is true",
        f"{at}: Too long: may not be more than 64 bytes",
    ]
    assert problems(spec(hostnameOverride="a.b")) == []
