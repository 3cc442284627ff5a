"""Errors of streams and calls."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeVar

import grpc
from google.protobuf.message import DecodeError, Message
from google.rpc import error_details_pb2, status_pb2

M = TypeVar("M", bound=Message)

_DOMAIN = "watchgate.io"

# Codes of temporary states. Any other code without a reason may be the answer of a server that is not a gateway.
_TEMPORARY = frozenset({"UNAVAILABLE", "CANCELLED", "RESOURCE_EXHAUSTED", "DEADLINE_EXCEEDED"})


class Action(Enum):
    """Reaction of a client to an error, as the contract names it."""

    RESUME = "RESUME"
    RESTART = "RESTART"
    STOP = "STOP"


@dataclass(frozen=True)
class Failure:
    """End of a stream or a call.

    `code` is the name of a gRPC code, UNKNOWN for a stream that ended with OK, which no gateway does. `reason` is a name of ErrorReason without its
    prefix, empty for an error of a proxy, of the network or of gRPC. `retry_after` is in seconds, 0 if the server named none.
    """

    code: str
    reason: str
    action: Action
    message: str
    retry_after: float = 0.0

    def described(self) -> str:
        """Returns the message, after the reason if there is one: the documents have the reasons."""
        return f"{self.reason}: {self.message}" if self.reason else self.message

    @property
    def is_from_gateway(self) -> bool:
        """Whether a gateway sent the error, and not a server in between."""
        return bool(self.reason)

    @property
    def may_be_wrong_address(self) -> bool:
        """Whether a server that is not a gateway may have sent the error."""
        return not self.is_from_gateway and self.code not in _TEMPORARY


class WatchgateError(Exception):
    """Error of a watch that cannot continue by itself, or of a call; `failure` says why."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.described())
        self.failure = failure


class CallFailed(Exception):
    """Failure of one stream or call, after which another one may succeed. Never leaves the package."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class UnknownChange(CallFailed):
    """Change that this version cannot apply. With the same token it would come again."""

    def __init__(self) -> None:
        message = "the stream has a change of an unknown type, or a patch that was not requested"
        super().__init__(Failure("INTERNAL", "", Action.RESTART, message))


def local_failure(code: str, message: str, action: Action = Action.RESUME) -> CallFailed:
    """Returns a failure that this side found, by default treated like one of the network."""
    return CallFailed(Failure(code, "", action, message))


def decoded(answer: type[M], content: bytes) -> M:
    """Returns a message of an answer. Raises CallFailed for bytes that are not a valid message."""
    try:
        return answer.FromString(content)
    except DecodeError as error:
        raise local_failure("INTERNAL", f"the answer cannot be read: {error}") from error


def call_failure(error: grpc.aio.AioRpcError) -> CallFailed:
    """Reads an error of gRPC: the details first, then the trailers that repeat them."""
    trailers: dict[str, str | bytes] = {name: value for name, value in error.trailing_metadata() or ()}
    reason = _text(trailers.get("watchgate-reason"))
    action = _text(trailers.get("watchgate-action"))
    retry_after = 0.0
    for info, retry in _details(trailers.get("grpc-status-details-bin")):
        if info.domain == _DOMAIN:
            reason = info.reason
            action = info.metadata.get("action", action)
        elif retry is not None:
            retry_after = retry.retry_delay.seconds + retry.retry_delay.nanos / 1e9
    return CallFailed(Failure(error.code().name, reason, _action(action), error.details() or "", retry_after))


def _details(encoded: str | bytes | None) -> list[tuple[Any, Any]]:
    """Returns an ErrorInfo, empty unless the detail is one, and a RetryInfo or None, of each detail."""
    if not isinstance(encoded, bytes):
        return []
    details = []
    try:
        for detail in status_pb2.Status.FromString(encoded).details:
            info = error_details_pb2.ErrorInfo()
            retry = error_details_pb2.RetryInfo()
            detail.Unpack(info)
            details.append((info, retry if detail.Unpack(retry) else None))
    except DecodeError:  # a proxy in between changed them
        return []
    return details


def _text(value: str | bytes | None) -> str:
    return value if isinstance(value, str) else ""


def _action(name: str) -> Action:
    # An error without an action is not a gateway's, and says nothing about the request.
    return Action(name) if name in Action.__members__ else Action.RESUME
