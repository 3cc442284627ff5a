"""Replicas of a gateway, and the calls to them."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

import grpc
from google.protobuf.message import Message

from watchgate._channels import Channels
from watchgate._errors import Action, CallFailed, call_failure, decoded, local_failure
from watchgate._tls import TlsFiles
from watchgate.v1 import watch_pb2

M = TypeVar("M", bound=Message)

_SERVICE = "/watchgate.v1.WatchService/"


class Replicas:
    """Replicas in turn, with the token that each call sends. Used within one event loop."""

    def __init__(self, servers: Sequence[str], tls: TlsFiles | None, token_file: Path | None, first: int) -> None:
        """`first` is the index of the first choice."""
        self._servers = servers
        self._next = first
        self._token_file = token_file
        self._is_closed = False
        self._channels = Channels(servers, tls)

    def __len__(self) -> int:
        return len(self._servers)

    async def close(self) -> None:
        """Closes the channels, and with them all streams."""
        self._is_closed = True
        await self._channels.close()

    def choose(self, last: int | None) -> int:
        """Returns the index of the replica of the next stream or call: in turn, another one than that of the last."""
        if self._next == last:
            self._next = (self._next + 1) % len(self._servers)
        chosen = self._next
        self._next = (chosen + 1) % len(self._servers)
        return chosen

    def watch(self, index: int, request: watch_pb2.ListAndWatchRequest) -> Any:
        """Opens a stream, whose responses are bytes, at a replica. Raises CallFailed."""
        method: Any = self._channel(index).unary_stream(
            _SERVICE + "ListAndWatch",
            request_serializer=watch_pb2.ListAndWatchRequest.SerializeToString,
        )
        return method(request, metadata=self._metadata())

    async def call(self, index: int, method: str, request: Message, answer: type[M], deadline: float) -> M:
        """Returns the answer of a replica, until a time of the monotonic clock. Raises CallFailed."""
        call: Any = self._channel(index).unary_unary(
            _SERVICE + method,
            request_serializer=type(request).SerializeToString,
        )
        timeout = max(0.0, deadline - time.monotonic())
        try:
            return decoded(answer, await call(request, metadata=self._metadata(), timeout=timeout))
        except grpc.aio.AioRpcError as error:
            raise call_failure(error) from error

    def closed(self) -> CallFailed:
        """Returns the failure of calls after close()."""
        return local_failure("CANCELLED", "the client is closed", Action.STOP)

    def _channel(self, index: int) -> grpc.aio.Channel:
        if self._is_closed:
            raise self.closed()
        return self._channels.at(index)

    def _metadata(self) -> tuple[tuple[str, str], ...]:
        """Reads the token for each call: it may have been replaced."""
        if self._token_file is None:
            return ()
        try:
            token = self._token_file.read_text().strip()
        except (OSError, UnicodeDecodeError) as error:
            raise local_failure("UNAVAILABLE", f"there is no token to send: {error}") from error
        if not token:  # a file that is being replaced
            raise local_failure("UNAVAILABLE", f"there is no token to send: {self._token_file} is empty")
        if not (token.isascii() and token.isprintable()):  # gRPC raises an error for such a header
            text = f"there is no token to send: {self._token_file} has a character that is not printable ASCII"
            raise local_failure("UNAVAILABLE", text)
        return (("authorization", f"Bearer {token}"),)


def open_replicas(
    servers: Sequence[str], tls: TlsFiles | None, token_file: str | Path | None, start_at_first: bool
) -> Replicas:
    """Returns connections that are made on first use; the first is a random one, or that to the first server. Raises ValueError for a server that cannot be used."""
    if not servers:
        raise ValueError("connect needs a server: HOST:PORT")
    for server in servers:
        if not server.rpartition(":")[2].isdecimal():
            raise ValueError(f"{server!r} is not HOST:PORT")
    first = 0 if start_at_first else random.randrange(len(servers))
    return Replicas(servers, tls, None if token_file is None else Path(token_file), first)
