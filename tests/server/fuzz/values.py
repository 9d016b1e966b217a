"""Values that nobody expects, and what else to put where something is."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import random

# Text that stands for itself in JSON, so that what JSON cannot say can be sent.
RAW = re.compile(r'"@raw:(\d+)@"')
RAW_TEXTS = (
    "NaN", "-Infinity", "1e999", "-0", "-0.0", "1.0", "1e2", "0x10", "01", "+1", "1e-400",
    '"\\ud800"', '"\\udc00\\ud800"', '"\\u0000"', '"\\x"', "'a'", "[" * 500 + "]" * 500,
    '{"a":' * 300 + "1" + "}" * 300, "[" * 20_000 + "]" * 20_000, '{"a":1,"a":{}}', "{,}", "[1,]",
    "/**/", "9" * 400, "0." + "9" * 400, "true false", "", '{"":1}', '{"\\ud800":1}', "nul",
    '{"a":' * 20_000 + "1" + "}" * 20_000, "[" * 150 + "]" * 150, '{"a":' * 170 + "1" + "}" * 170,
    '[{"name":' * 80 + "1" + "}]" * 80, '{"properties":{"a":' * 80 + "{}" + "}}" * 80,
    '{"type":"array","items":' * 150 + "{}" + "}" * 150,
)  # fmt: skip
STRINGS = (
    "", " ", "a", "-", ".", "..", "/", "a/b", "a/b/c", "*", "%", "%2f", "\x00", "\n", "\r\n", "\t",
    "\u2028", "é", "日本", "\U0001f600", "\ufeff", "\ud800", "\udfff", "a" * 64, "a" * 254,
    "a" * 5000, "0", "-1", "1.5", "1e3", "1e400", "9" * 30, "99999999999999999999", "0x1F", "100%",
    "101%", "-5%", "%d%s", "{}", "{0}", "null", "true", "True", "yes", "1m", "1Ki", "1e10E", "1E",
    "100000000Ei", "-1Gi", "1n", "0.0000000001", "1h", "-1h", "9999999h", "1h1", "2026-01-01",
    "2026-01-01T00:00:00Z", "0000-00-00T00:00:00Z", "9999-12-31T23:59:59.999999999Z",
    "0001-01-01T00:00:00Z", "-2026-01-01T00:00:00Z", "2026-01-01T00:00:00+99:99", "10.0.0.1",
    "256.1.1.1", "::1", "::ffff:1.2.3.4", "fe80::1%eth0", "10.0.0.0/8", "10.0.0.0/99", "::/0",
    "kubernetes.io/x", "example.com/" + "b" * 64, "All", "None", "$patch", "delete", "a=b,c!=d",
    "a in (b", "((((", "[a-z]+", "(a+)+$", "(?P<x>", "\\", "'", '"', "*/5 * * * *", "0 0 31 2 *",
    "99 * * * *", "@every 1s", "TZ=X * * * * *", "IfNotPresent", "Exists", "In", "v1", "v1/v1/v1",
    "apps/v1", "Pod", "PodList", "Status", "default", "kube-system", "$(X)", "$$", "AAAA", "=",
    "YQ==", "data:,", "metadata.name", "spec.nodeName", "{.a}", ".a[", "{.a[?(@.b==1)]}", "self",
    "self.a < 1", "true ||", "size(self) > 0", "0:0", "80:80", "65536", "TCP",
)  # fmt: skip
NUMBERS = (
    0, 1, -1, 2, 127, 256, 65535, 65536, 2**31 - 1, 2**31, -(2**31) - 1, 2**53 + 1, 2**63 - 1,
    2**63, -(2**63) - 1, 2**64, 10**30, 0.5, -0.5, 1e100, 1e308, 1e-300, 1.0, -1e18,
)  # fmt: skip
OTHERS: tuple[Any, ...] = (
    None, True, False, [], {}, [None], [[]], [{}], {"": None}, {"a": {}}, {"a": [1, "b", None]},
    [1, 2, 3], ["a", "a"], {"name": "a"}, [{"name": "a"}, {"name": "a"}], [{"name": None}],
    {"key": "a"}, {"$patch": "delete"}, {"$patch": 1}, {"$retainKeys": "x"}, {"$patch": "replace"},
    {"$setElementOrder/containers": [1]}, [{"$patch": "delete"}], {"$deleteFromPrimitiveList/a": 1},
    {"f:a": {}}, {"k:{}": {}}, {'k:{"name":"c"}': {".": {}}}, {"v:1": {}}, {"i:0": {}},
    {"f:": None},
    {"matchLabels": {"a": "b"}}, {"matchExpressions": [{}]}, {"$ref": "#"}, {"type": "object"},
)  # fmt: skip


def any_value(rng: random.Random) -> Any:
    """Something that may be anything."""
    match rng.randrange(8):
        case 0 | 1:
            return rng.choice(STRINGS)
        case 2:
            return rng.choice(NUMBERS)
        case 3:
            return raw(rng.randrange(len(RAW_TEXTS)))
        case 4:
            return {rng.choice(STRINGS): rng.choice(OTHERS)}
        case _:
            return rng.choice(OTHERS)


def raw(index: int) -> str:
    """A mark that becomes a text of its own when it is written."""
    return f"@raw:{index}@"


def written(value: Any, rng: random.Random) -> bytes:
    """A value as JSON, or nearly so."""
    try:
        text = json.dumps(value)
    except RecursionError:
        text = "[" * 2000
    text = RAW.sub(lambda match: RAW_TEXTS[int(match[1])], text)
    if rng.random() < 0.03:
        text = text.replace(":", ": null, " + rng.choice(('"a"', '"metadata"', '"spec"')) + ":", 1)
    return text.encode("utf-8", "surrogatepass")


def altered(text: str, rng: random.Random) -> str:
    """A string that is nearly another one."""
    other = rng.choice(STRINGS)
    match rng.randrange(6):
        case 0:
            return text + other
        case 1:
            return other + text
        case 2:
            at = rng.randrange(len(text) + 1)
            return text[:at] + other + text[at:]
        case 3:
            return text[: rng.randrange(len(text) + 1)]
        case 4:
            return text.swapcase()
        case _:
            return text * rng.choice((0, 2, 30))


def altered_bytes(data: bytes, rng: random.Random) -> bytes:
    """Bytes that are nearly others: cut, flipped, repeated or with something in between."""
    at = rng.randrange(len(data) + 1)
    match rng.randrange(6):
        case 0:
            return data[:at]
        case 1:
            return data[at:]
        case 2:
            return data[:at] + rng.randbytes(rng.randint(1, 8)) + data[at:]
        case 3:
            end = min(len(data), at + rng.randint(1, 12))
            return data[:at] + data[end:]
        case 4:
            return data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]
        case _:
            return data + data[:at]
