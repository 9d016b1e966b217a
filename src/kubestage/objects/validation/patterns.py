"""The patterns behind the string rules, and how the API words a text that one refuses."""

from __future__ import annotations

import re
from typing import Final

_LABEL: Final = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN: Final = rf"{_LABEL}(\.{_LABEL})*"
_LABEL_UNDERSCORE: Final = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_SUBDOMAIN_UNDERSCORE: Final = rf"{_LABEL_UNDERSCORE}(\.{_LABEL_UNDERSCORE})*"
_DNS1035_LABEL: Final = "[a-z]([-a-z0-9]*[a-z0-9])?"
_WILDCARD: Final = rf"\*\.{_SUBDOMAIN}"
_QUALIFIED: Final = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_LABEL_VALUE: Final = f"({_QUALIFIED})?"
_C_IDENTIFIER: Final = "[A-Za-z_][A-Za-z0-9_]*"
_PERCENT: Final = "[0-9]+%"
_HTTP_HEADER: Final = "[-A-Za-z0-9]+"
_ENV_VAR: Final = "[-._a-zA-Z][-._a-zA-Z0-9]*"
_CONFIG_KEY: Final = "[-._a-zA-Z0-9]+"

match_label: Final = re.compile(_LABEL).fullmatch
match_subdomain: Final = re.compile(_SUBDOMAIN).fullmatch
match_subdomain_underscore: Final = re.compile(_SUBDOMAIN_UNDERSCORE).fullmatch
match_subdomain_caseless: Final = re.compile(_SUBDOMAIN, re.IGNORECASE | re.ASCII).fullmatch
match_dns1035_label: Final = re.compile(_DNS1035_LABEL).fullmatch
match_wildcard: Final = re.compile(_WILDCARD).fullmatch
match_qualified: Final = re.compile(_QUALIFIED).fullmatch
match_label_value: Final = re.compile(_LABEL_VALUE).fullmatch
match_c_identifier: Final = re.compile(_C_IDENTIFIER).fullmatch
match_percent: Final = re.compile(_PERCENT).fullmatch
match_http_header: Final = re.compile(_HTTP_HEADER).fullmatch
match_env_var: Final = re.compile(_ENV_VAR).fullmatch
match_config_key: Final = re.compile(_CONFIG_KEY).fullmatch
match_port_name: Final = re.compile("[-a-z0-9]+").fullmatch
find_letter: Final = re.compile("[a-z]").search


def regex_error(message: str, pattern: str, *examples: str) -> str:
    """The wording for a text that a pattern refuses."""
    if not examples:
        return f"{message} (regex used for validation is '{pattern}')"
    shown = " or ".join(f"'{example}', " for example in examples)
    return f"{message} (e.g. {shown}regex used for validation is '{pattern}')"


LABEL_ERROR: Final = regex_error(
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character",
    _LABEL, "my-name", "123-abc",
)  # fmt: skip
SUBDOMAIN_ERROR: Final = regex_error(
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character",
    _SUBDOMAIN, "example.com",
)  # fmt: skip
SUBDOMAIN_CASELESS_ERROR: Final = regex_error(
    "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start "
    "and end with an alphanumeric character",
    _SUBDOMAIN, "Example.com",
)  # fmt: skip
SUBDOMAIN_UNDERSCORE_ERROR: Final = regex_error(
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' "
    "or '.', and must start and end with an alphanumeric character",
    _SUBDOMAIN_UNDERSCORE, "example.com",
)  # fmt: skip
DNS1035_ERROR: Final = regex_error(
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
    "alphabetic character, and end with an alphanumeric character",
    _DNS1035_LABEL, "my-name", "abc-123",
)  # fmt: skip
WILDCARD_ERROR: Final = regex_error(
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which "
    "must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric "
    "character",
    _WILDCARD, "*.example.com",
)  # fmt: skip
QUALIFIED_ERROR: Final = regex_error(
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character",
    _QUALIFIED, "MyName", "my.name", "123-abc",
)  # fmt: skip
LABEL_VALUE_ERROR: Final = regex_error(
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
    "'.', and must start and end with an alphanumeric character",
    _LABEL_VALUE, "MyValue", "my_value", "12345",
)  # fmt: skip
C_IDENTIFIER_ERROR: Final = regex_error(
    "a valid C identifier must start with alphabetic character or '_', followed by a string of "
    "alphanumeric characters or '_'",
    _C_IDENTIFIER, "my_name", "MY_NAME", "MyName",
)  # fmt: skip
PERCENT_ERROR: Final = regex_error(
    "a valid percent string must be a numeric string followed by an ending '%'",
    _PERCENT, "1%", "93%",
)  # fmt: skip
HTTP_HEADER_ERROR: Final = regex_error(
    "a valid HTTP header must consist of alphanumeric characters or '-'",
    _HTTP_HEADER, "X-Header-Name",
)  # fmt: skip
ENV_VAR_ERROR: Final = regex_error(
    "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', "
    "or '.', and must not start with a digit",
    _ENV_VAR, "my.env-name", "MY_ENV.NAME", "MyEnvName1",
)  # fmt: skip
CONFIG_KEY_ERROR: Final = regex_error(
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
    _CONFIG_KEY, "key.name", "KEY_NAME", "key-name",
)  # fmt: skip
LABEL_KEY_ERROR: Final = (
    f"a valid label key {QUALIFIED_ERROR} with an optional DNS subdomain prefix and '/' "
    "(e.g. 'example.com/MyName')"
)
RELAXED_ENV_VAR_ERROR: Final = (
    "a valid environment variable name must consist only of printable ASCII characters "
    "other than '='"
)
