"""Every error that kubestage raises on purpose.

::

    KubestageError
    ├── InputError        input that cannot be used: file, path, problem, likely fix
    │   └── LimitExceeded a template, expression or query that needs more than it may
    ├── SimulationError   a model broke a rule of the simulation engine
    ├── MalformedValue    a text or value that does not follow its format; also a ValueError
    │   ├── QuantityError, SelectorError, FieldSelectorError, JSONPathError, PatchError
    │   ├── ScheduleError (cron), UnknownTimeZone, SemverError, RegexpError, FieldPathError
    │   └── ... of the formats that fewer callers meet
    ├── ExpectationFailed a cluster is not as a test expects it; also an AssertionError
    ├── OperationFailed, InvalidEvent, NoScheduler, ForeignWrite   of Scenarios
    ├── NotPrepared       a plugin reads state that it has not prepared
    ├── NotApplicable     a rule of a check does not apply to the cluster
    ├── Unmodelled        a container runs something that is not modelled
    ├── FileError         what the operating system of a container says of a path
    └── ApiError          the cluster's answer to a request it refuses, as a Kubernetes Status
        ├── BadRequest 400, Unauthorized 401, Forbidden 403, NotFound 404
        ├── MethodNotAllowed 405, NotAcceptable 406, AlreadyExists 409, Conflict 409
        ├── Expired 410, RequestTooLarge 413, UnsupportedMediaType 415
        ├── Invalid 422, TooManyRequests 429, ServiceUnavailable 503
        ├── GatewayTimeout 504
        │   └── ResourceVersionTooLarge
        ├── SeveralBudgets 500
        └── AdmissionDenied   by a webhook or a policy, with the code and reason that it gave

A rejected value is a value (see ``objects.validation``), not an exception: it becomes
``Invalid`` only where a request ends.
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "AdmissionDenied",
    "AlreadyExists",
    "ApiError",
    "BadRequest",
    "Conflict",
    "ExpectationFailed",
    "Expired",
    "Forbidden",
    "GatewayTimeout",
    "InputError",
    "Invalid",
    "KubestageError",
    "LimitExceeded",
    "MalformedValue",
    "MethodNotAllowed",
    "NotAcceptable",
    "NotFound",
    "RequestTooLarge",
    "ResourceVersionTooLarge",
    "ServiceUnavailable",
    "SeveralBudgets",
    "SimulationError",
    "TooManyRequests",
    "Unauthorized",
    "Unmodelled",
    "UnsupportedMediaType",
]


class KubestageError(Exception):
    """Root of all errors that a caller may want to catch."""


class InputError(KubestageError):
    """Input that cannot be used; says where it is and how to fix it."""

    def __init__(
        self,
        problem: str,
        *,
        file: str | None = None,
        line: int | None = None,
        path: str | None = None,
        fix: str | None = None,
    ) -> None:
        super().__init__(problem)
        self.problem = problem
        self.file = file
        self.line = line
        self.path = path
        self.fix = fix

    def __str__(self) -> str:
        where = ":".join(str(part) for part in (self.file, self.line) if part is not None)
        parts = [part for part in (where, self.path, self.problem) if part]
        text = ": ".join(parts)
        return f"{text} ({self.fix})" if self.fix else text


class LimitExceeded(InputError):
    """A template, expression or query that needs more time, steps or memory than it may."""


class SimulationError(KubestageError):
    """A model broke a rule of the simulation engine."""


class Unmodelled(KubestageError):
    """A container runs something that is not modelled; the message names it."""


class MalformedValue(KubestageError, ValueError):
    """A text or value that does not follow its format: a quantity, a selector, a patch."""


class ExpectationFailed(KubestageError, AssertionError):
    """A cluster is not as a test expects it; the message shows why."""


class ApiError(KubestageError):
    """A refused request; ``status`` is the metav1.Status that a client would read."""

    code: int = 500
    reason: str = "InternalError"

    def __init__(self, message: str, details: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.details = {} if details is None else details
        # The API writes empty details where it has nothing to say, and none where it has no place.
        self._has_details = details is not None

    @property
    def status(self) -> dict[str, Any]:
        """The answer as the Kubernetes API words it."""
        status: dict[str, Any] = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
        }
        if self.reason:
            status["reason"] = self.reason
        if self._has_details:
            status["details"] = self.details
        status["code"] = self.code
        return status


class BadRequest(ApiError):
    """The request could not be understood."""

    code = 400
    reason = "BadRequest"


class Unauthorized(ApiError):
    """The caller is not authenticated."""

    code = 401
    reason = "Unauthorized"


class Forbidden(ApiError):
    """The request was understood and is not allowed."""

    code = 403
    reason = "Forbidden"


class NotFound(ApiError):
    """No such object, or no such kind."""

    code = 404
    reason = "NotFound"


class MethodNotAllowed(ApiError):
    """The kind does not offer this verb."""

    code = 405
    reason = "MethodNotAllowed"


class NotAcceptable(ApiError):
    """The answer cannot be given in a form that the caller takes."""

    code = 406
    reason = "NotAcceptable"


class AlreadyExists(ApiError):
    """An object of this name is there already."""

    code = 409
    reason = "AlreadyExists"


class Conflict(ApiError):
    """The object changed since the caller read it."""

    code = 409
    reason = "Conflict"


class Expired(ApiError):
    """The resourceVersion or continue token is too old to serve."""

    code = 410
    reason = "Expired"


class RequestTooLarge(ApiError):
    """The body is longer than the server takes."""

    code = 413
    reason = "RequestEntityTooLarge"


class UnsupportedMediaType(ApiError):
    """A body or patch type the kind does not take."""

    code = 415
    reason = "UnsupportedMediaType"


class Invalid(ApiError):
    """The object breaks a validation rule; ``details['causes']`` lists each."""

    code = 422
    reason = "Invalid"


class TooManyRequests(ApiError):
    """Refused for now, as an eviction that a disruption budget forbids."""

    code = 429
    reason = "TooManyRequests"


class ServiceUnavailable(ApiError):
    """The server cannot answer now."""

    code = 503
    reason = "ServiceUnavailable"


class GatewayTimeout(ApiError):
    """The server took too long."""

    code = 504
    reason = "Timeout"


class ResourceVersionTooLarge(GatewayTimeout):
    """The caller asks for a version that the store has not reached."""


class SeveralBudgets(ApiError):
    """More than one disruption budget covers a pod, which an eviction cannot handle."""

    # The API gives none here.
    reason = ""


class AdmissionDenied(ApiError):
    """A webhook or a policy refuses the request, with a code and a reason of its own."""

    def __init__(
        self, message: str, code: int, reason: str, details: dict[str, Any] | None = None
    ) -> None:
        super().__init__(message, details)
        self.code = code
        self.reason = reason
