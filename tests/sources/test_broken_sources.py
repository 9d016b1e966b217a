"""Sources that are broken or cut: each has an error that names the file and the likely fix."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from kubestage.errors import InputError
from kubestage.sources import reading
from tests.sources import samples

if TYPE_CHECKING:
    import pathlib

    from tests.cli.terminal import Terminal

BUNDLE = samples.tar(samples.support_bundle())
TRACE = {"version": 2, "config": {"trackedObjects": {}}, "events": [{"ts": 1}], "index": {},
         "pod_lifecycles": {}}  # fmt: skip
AUDIT = samples.lines(samples.audit("create", "pods", "a", 1, response=samples.pod("a")))
REPLAY: Any = {"cluster": "c", "captured": "2026-03-01T10:00:00Z"}
SHARK = {"k8shark-capture/metadata.json": b'{"format_version": 3}'}

BROKEN: dict[str, tuple[str, bytes, str]] = {
    "cut gzip": ("dump.yaml.gz", gzip.compress(samples.text(samples.node()) * 99)[:-20], "cut off"),
    "cut bundle": ("bundle.tar.gz", BUNDLE[: len(BUNDLE) // 2], "cut off or damaged"),
    "damaged bundle": ("bundle.tar.gz", BUNDLE[:200] + b"\0\0\0\0\0\0" + BUNDLE[206:], "damaged"),
    "cut JSON": ("dump.json", samples.text(samples.listed(samples.node()))[:-30], "JSON"),
    "broken YAML": ("dump.yaml", b"apiVersion: v1\nkind: Pod\nmetadata: {name: [a\n", "expected"),
    "empty": ("dump.yaml", b"", "no format"),
    "something else": ("photo.png", b"\x89PNG\r\n\x1a\n" + bytes(100), "no format"),
    "kubeconfig": ("config", b"apiVersion: v1\nkind: Config\ncurrent-context: a\n", "kubeconfig"),
    "etcd": ("snap.db", bytes(16) + b"\xed\xda\x0c\xed" + bytes(64), "etcd"),
    "encrypted": ("a.kshrk", b"age-encryption.org/v1\n-> X25519 abc\n", "encrypted"),
    "cut msgpack": ("a.sktrace", msgspec.msgpack.encode(TRACE)[:-9], "cut off"),
    "trace version": ("t.json", json.dumps({**TRACE, "version": 9}).encode(), "version 9"),
    "trace time": ("t.json", json.dumps({**TRACE, "events": [{"ts": "x"}]}).encode(), "seconds"),
    "trace events": ("t.json", json.dumps({**TRACE, "events": 3}).encode(), "no list"),
    "audit line": ("audit.log", AUDIT + b"{broken}\n" + AUDIT, "the event cannot be read"),
    "audit shape": ("audit.log", AUDIT + b'{"kind":"Event","verb":7}\n', "not an audit event"),
    "replay time": ("r.json", json.dumps({**REPLAY, "events": [{"type": "create"}]}).encode(),
                    "is missing"),
    "replay object": ("r.json", json.dumps({**REPLAY, "events": [
        {"type": "create", "kind": "Job", "key": "a/b", "timestamp": "2026-03-01T10:00:00Z"}
    ]}).encode(), "the Job is missing"),
    "shark version": ("c.tar", samples.tar(SHARK, "w"), "format_version 3"),
    "recording line": ("kss.jsonl",
                       b'{"time":"2026-03-01T10:00:00Z","event":"Add","resource":{}}\n',
                       "apiVersion is missing"),
    "no objects": ("notes.yaml", b"hello: world\n", "no format"),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_the_error_names_the_file(case: str, tmp_path: pathlib.Path) -> None:
    name, content, words = BROKEN[case]
    place = tmp_path / name
    place.write_bytes(content)
    with pytest.raises(InputError, match=words) as caught:
        reading.read([str(place)])
    assert caught.value.file is not None
    assert caught.value.file.startswith(str(place))


@pytest.mark.parametrize("case", BROKEN)
def test_the_command_ends_with_code_2_and_writes_nothing(
    case: str, terminal: Terminal, tmp_path: pathlib.Path
) -> None:
    name, content, _ = BROKEN[case]
    (tmp_path / name).write_bytes(content)
    result = terminal.run("import", name, "--out", "cluster")
    assert result.code == 2
    assert "unexpected error" not in result.err
    assert name in result.err
    assert not (tmp_path / "cluster").exists()


def test_a_member_is_named_with_its_archive(tmp_path: pathlib.Path) -> None:
    files = {**samples.support_bundle(), "b/cluster-resources/pods/bad.json": b'{"items": ['}
    (tmp_path / "bundle.tgz").write_bytes(samples.tar(files))
    with pytest.raises(InputError, match="cut off") as caught:
        reading.read([str(tmp_path / "bundle.tgz")])
    assert caught.value.file == str(tmp_path / "bundle.tgz/b/cluster-resources/pods/bad.json")
