"""String rules of the API: which texts may be a name, a label, a port, a key.

Each rule answers with the descriptions of what is wrong (empty when nothing is), in the words of
Kubernetes; the caller turns them into field errors. Answers are cached: a cluster repeats few
names, keys and values many times.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Final

from kubestage.objects.validation import patterns

Problems = tuple[str, ...]
"""What is wrong with a text; empty when it is fine."""

NameRule = Callable[[str, bool], Problems]
"""A rule for object names; the flag is set if more text will be appended to the name."""

EMPTY: Final = "must be non-empty"
NOT_NEGATIVE: Final = "must be greater than or equal to 0"

_CACHED: Final = 16384
_MAX_INT32: Final = 2**31 - 1


def size(text: str) -> int:
    """Length in bytes, the unit of every length limit of the API."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def max_len_error(limit: int) -> str:
    """The wording for a text longer than `limit`."""
    return f"must be no more than {limit} characters"


def inclusive_range_error(low: int, high: int) -> str:
    """The wording for a number outside [low, high]."""
    return f"must be between {low} and {high}, inclusive"


def _limited(value: str, limit: int, problem: str | None) -> Problems:
    too_long = (max_len_error(limit),) if size(value) > limit else ()
    return too_long if problem is None else (*too_long, problem)


@functools.lru_cache(_CACHED)
def is_dns1123_label(value: str) -> Problems:
    """A DNS label (RFC 1123): names of containers, volumes, namespaces."""
    if patterns.match_label(value):
        return _limited(value, 63, None)
    return _limited(
        value,
        63,
        "must not contain dots" if patterns.match_subdomain(value) else patterns.LABEL_ERROR,
    )


@functools.lru_cache(_CACHED)
def is_dns1123_subdomain(value: str) -> Problems:
    """A DNS subdomain (RFC 1123): names of most objects."""
    return _limited(
        value, 253, None if patterns.match_subdomain(value) else patterns.SUBDOMAIN_ERROR
    )


@functools.lru_cache(_CACHED)
def is_dns1123_subdomain_caseless(value: str) -> Problems:
    """A DNS subdomain that may have capitals: names of drivers.

    Stated in bytes, as the newer rules of the API are.
    """
    long = ("must be no more than 253 bytes",) if size(value) > 253 else ()
    return (
        long
        if patterns.match_subdomain_caseless(value)
        else (*long, patterns.SUBDOMAIN_CASELESS_ERROR)
    )


def is_dns1123_subdomain_with_underscore(value: str) -> Problems:
    """A DNS subdomain whose labels may hold underscores: search domains."""
    matched = patterns.match_subdomain_underscore(value)
    return _limited(value, 253, None if matched else patterns.SUBDOMAIN_UNDERSCORE_ERROR)


@functools.lru_cache(_CACHED)
def is_dns1035_label(value: str) -> Problems:
    """A DNS label that starts with a letter (RFC 1035): names of services."""
    return _limited(
        value, 63, None if patterns.match_dns1035_label(value) else patterns.DNS1035_ERROR
    )


def is_wildcard_dns1123_subdomain(value: str) -> Problems:
    """A subdomain behind ``*.``: hosts of ingresses."""
    return _limited(value, 253, None if patterns.match_wildcard(value) else patterns.WILDCARD_ERROR)


@functools.lru_cache(_CACHED)
def is_qualified_name(value: str) -> Problems:
    """A label key: a name with an optional DNS prefix and slash."""
    prefix, slash, name = value.rpartition("/")
    if "/" in prefix:
        return (patterns.LABEL_KEY_ERROR,)
    problems = _prefix_problems(prefix) if slash else []
    if not name:
        problems.append(f"name part {EMPTY}")
    elif size(name) > 63:
        problems.append("name part must be no more than 63 bytes")
    if not patterns.match_qualified(name):
        problems.append(f"name part {patterns.QUALIFIED_ERROR}")
    return tuple(problems)


def _prefix_problems(prefix: str) -> list[str]:
    if not prefix:
        return [f"prefix part {EMPTY}"]
    problems = ["prefix part must be no more than 253 bytes"] if size(prefix) > 253 else []
    if not patterns.match_subdomain(prefix):
        problems.append(f"prefix part {patterns.SUBDOMAIN_ERROR}")
    return problems


@functools.lru_cache(_CACHED)
def is_valid_label_value(value: str) -> Problems:
    """A label value: like a key's name part, or empty."""
    long = ("must be no more than 63 bytes",) if size(value) > 63 else ()
    return long if patterns.match_label_value(value) else (*long, patterns.LABEL_VALUE_ERROR)


@functools.lru_cache(_CACHED)
def is_c_identifier(value: str) -> Problems:
    """An identifier of the C language."""
    return () if patterns.match_c_identifier(value) else (patterns.C_IDENTIFIER_ERROR,)


def is_in_range(value: int, low: int, high: int) -> Problems:
    """A number between two bounds, both included."""
    return () if low <= value <= high else (inclusive_range_error(low, high),)


def is_valid_port_num(port: int) -> Problems:
    """A port other than 0."""
    return () if 1 <= port <= 65535 else (inclusive_range_error(1, 65535),)


def is_valid_group_id(gid: int) -> Problems:
    """A Unix group id."""
    return () if 0 <= gid <= _MAX_INT32 else (inclusive_range_error(0, _MAX_INT32),)


def is_valid_user_id(uid: int) -> Problems:
    """A Unix user id."""
    return is_valid_group_id(uid)


@functools.lru_cache(_CACHED)
def is_valid_port_name(port: str) -> Problems:
    """A service name of RFC 6335, in lower case."""
    problems = [max_len_error(15)] if size(port) > 15 else []
    if not patterns.match_port_name(port):
        problems.append("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
    if not patterns.find_letter(port):
        problems.append("must contain at least one letter (a-z)")
    if "--" in port:
        problems.append("must not contain consecutive hyphens")
    if port.startswith("-") or port.endswith("-"):
        problems.append("must not begin or end with a hyphen")
    return tuple(problems)


def is_valid_percent(value: str) -> Problems:
    """A percentage such as ``25%``."""
    return () if patterns.match_percent(value) else (patterns.PERCENT_ERROR,)


def is_http_header_name(value: str) -> Problems:
    """The name of an HTTP header."""
    return () if patterns.match_http_header(value) else (patterns.HTTP_HEADER_ERROR,)


def is_env_var_name(value: str) -> Problems:
    """The name of an environment variable, by the old strict rule."""
    problem = () if patterns.match_env_var(value) else (patterns.ENV_VAR_ERROR,)
    return (*problem, *_dots(value))


@functools.lru_cache(_CACHED)
def is_relaxed_env_var_name(value: str) -> Problems:
    """The name of an environment variable: printable ASCII without ``=``."""
    if not value:
        return (f"environment variable name {EMPTY}",)
    if value.isascii() and value.isprintable() and "=" not in value:
        return ()
    return (patterns.RELAXED_ENV_VAR_ERROR,)


@functools.lru_cache(_CACHED)
def is_config_map_key(value: str) -> Problems:
    """A key of a ConfigMap or Secret, which becomes a file name."""
    problem = None if patterns.match_config_key(value) else patterns.CONFIG_KEY_ERROR
    return (*_limited(value, 253, problem), *_dots(value))


def _dots(value: str) -> Problems:
    if not value.startswith("."):
        return ()
    if value in (".", ".."):
        return (f"must not be '{value}'",)
    return ("must not start with '..'",) if value.startswith("..") else ()


def is_valid_path_segment_name(name: str) -> Problems:
    """A name that can stand in a URL path unescaped."""
    if name in (".", ".."):
        return (f"may not be '{name}'",)
    return is_valid_path_segment_prefix(name)


def is_valid_path_segment_prefix(name: str) -> Problems:
    """The start of a name that can stand in a URL path."""
    return tuple(f"may not contain '{char}'" for char in "/%" if char in name)


def path_segment_name(name: str, prefix: bool) -> Problems:
    """Names of objects that only need to fit into a URL, as roles."""
    return is_valid_path_segment_prefix(name) if prefix else is_valid_path_segment_name(name)


def name_is_dns_subdomain(name: str, prefix: bool) -> Problems:
    """Names of most objects."""
    return is_dns1123_subdomain(_mask_trailing_dash(name) if prefix else name)


def name_is_dns_label(name: str, prefix: bool) -> Problems:
    """Names of namespaces."""
    return is_dns1123_label(_mask_trailing_dash(name) if prefix else name)


def long_name(name: str, _prefix: bool) -> Problems:
    """Names of objects by the newer rule, which counts bytes."""
    long = ("must be no more than 253 bytes",) if size(name) > 253 else ()
    return long if patterns.match_subdomain(name) else (*long, patterns.SUBDOMAIN_ERROR)


def _mask_trailing_dash(name: str) -> str:
    return name[:-2] + "a" if len(name) > 1 and name.endswith("-") else name
