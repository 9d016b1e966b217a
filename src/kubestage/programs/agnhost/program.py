"""``agnhost``: which subcommand does what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.golang import durations
from kubestage.programs import klog
from kubestage.programs.agnhost import servers
from kubestage.programs.agnhost.cluster_client import ClusterClient
from kubestage.programs.agnhost.guestbook import Guestbook
from kubestage.programs.agnhost.mounttest import flags, mounttest
from kubestage.programs.agnhost.netexec import Netexec
from kubestage.programs.agnhost.nettest import Nettest
from kubestage.programs.calls import Call, Waiting

if TYPE_CHECKING:
    from collections.abc import Callable

_METHODS: Final = ("GET", "POST", "PUT")
_NAMESPACES: Final = ("kube-system", "default", "ns")
_LETTERS: Final = "bcdfghjklmnpqrstvwxz2456789"


def agnhost(call: Call) -> int | Waiting:
    """Run a subcommand."""
    if not call.arguments or call.arguments[0] not in SUBCOMMANDS:
        raise call.unmodelled()
    return SUBCOMMANDS[call.arguments[0]](call)


def _entrypoint(call: Call) -> int:
    call.print(f"[{' '.join([call.name, *call.arguments])}]\n")
    return 0


def _hosts(call: Call) -> int:
    call.print(call.files.read("/etc/hosts").decode() + "\n")
    return 0


def _resolver(call: Call, word: str) -> list[str]:
    lines = call.files.read("/etc/resolv.conf").decode().splitlines()
    return [part for line in lines if line.startswith(word) for part in line.split()[1:]]


def _suffixes(call: Call) -> int:
    call.print(",".join(_resolver(call, "search")) + "\n")
    return 0


def _servers(call: Call) -> int:
    call.print(",".join(_resolver(call, "nameserver")) + "\n")
    return 0


def _privileges(call: Call) -> int:
    call.print(f"Effective uid: {call.files.user.uid}\n")
    return 0


def privileged(call: Call) -> int:
    """``nnp``: root owns it, and its user becomes root's, unless privileges must not grow."""
    security = call.context.container.get("securityContext") or {}
    may_grow = security.get("allowPrivilegeEscalation", True)
    call.print(f"Effective uid: {0 if may_grow else call.files.user.uid}\n")
    return 0


class Pause(Waiting):
    """Waits for a signal, and reports it."""

    def __init__(self, call: Call) -> None:
        super().__init__(call)
        call.print("Paused\nSignals registered\n")

    def on_signal(self, name: str, now_ns: int) -> bool:
        """It ends, with a code that says which signal it was."""
        codes = {"INT": (1, "interrupt"), "TERM": (2, "terminated")}
        if name not in codes:
            return False
        self.code, word = codes[name]
        call = self.call
        text = f'exiting because of signal "{word}"\n'
        path = call.variables.get("TERMINATION_MESSAGE_PATH") or "/dev/termination-log"
        call.files.write(path, text.encode())
        call.print(text)
        self.wake_ns = now_ns
        return True


class Logs(Waiting):
    """Prints lines at even intervals."""

    def __init__(self, call: Call) -> None:
        super().__init__(call)
        short = {"-t": "--log-lines-total", "-d": "--run-duration"}
        words = [short.get(each, each) for each in call.arguments[1:]]
        values = flags(call, words, frozenset({"log-lines-total", "run-duration"}))
        try:
            self._lines = int(values.get("log-lines-total", "0"))
            duration_ns = durations.parse_duration(values.get("run-duration", "0s"))
        except ValueError:
            raise call.unmodelled() from None
        if self._lines <= 0 or duration_ns <= 0:
            raise call.unmodelled()
        self._delay_ns = max(duration_ns // self._lines, 1)
        self._end_ns = call.context.now_ns + self._delay_ns * self._lines
        self._number = 0
        self.wake_ns: int | None = call.context.now_ns

    @property
    def due_ns(self) -> int | None:
        """The cluster sees no difference before it ends."""
        return self._end_ns

    def resume(self, now_ns: int) -> bool:
        """Print a line."""
        if self._number >= self._lines:
            return True
        stream = self.call.context.stream
        method, namespace = stream.choice(_METHODS), stream.choice(_NAMESPACES)
        name = "".join(stream.choice(_LETTERS) for _ in range(stream.randrange(3, 5)))
        path, status = f"/api/v1/namespaces/{namespace}/pods/{name}", stream.randrange(200, 600)
        text = f"{self._number} {method} {path} {status}"
        unix_ns = self.call.context.unix_ns
        self.call.err.write(klog.line("I", unix_ns, "logs_generator.go:76", text))
        self._number += 1
        self.wake_ns = now_ns + self._delay_ns
        return False


SUBCOMMANDS: Final[dict[str, Callable[[Call], int | Waiting]]] = {
    "dns-server-list": _servers,
    "dns-suffix": _suffixes,
    "entrypoint-tester": _entrypoint,
    "etc-hosts": _hosts,
    "grpc-health-checking": servers.GrpcHealth,
    "guestbook": Guestbook,
    "inclusterclient": ClusterClient,
    "liveness": servers.Liveness,
    "logs-generator": Logs,
    "mounttest": mounttest,
    "netexec": Netexec,
    "nettest": Nettest,
    "nonewprivs": _privileges,
    "pause": Pause,
    "porter": servers.Porter,
    "serve-hostname": servers.Hostname,
    "test-webserver": servers.Webserver,
}
