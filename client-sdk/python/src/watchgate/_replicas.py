"""Connections to the replicas of a gateway."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

import grpc
from google.protobuf.message import Message

from watchgate._errors import Action, CallFailed, call_failure, local_failure
from watchgate.v1 import watch_pb2

M = TypeVar("M", bound=Message)

_OPTIONS: list[tuple[str, Any]] = [
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.max_pings_without_data", 0),  # no limit
    ("grpc.max_reconnect_backoff_ms", 5_000),  # a watch waits by itself
    ("grpc.enable_retries", 0),  # a watch resumes at its own position
]
_SERVICE = "/watchgate.v1.WatchService/"


class Replicas:
    """Channels to the replicas, and the token that each call sends. Used within one event loop."""

    def __init__(self, channels: Sequence[grpc.aio.Channel], token_file: Path | None) -> None:
        self._channels = tuple(channels)
        self._token_file = token_file
        self._is_closed = False

    def __len__(self) -> int:
        return len(self._channels)

    async def close(self) -> None:
        """Closes the channels, and with them all streams."""
        self._is_closed = True
        for channel in self._channels:
            await channel.close()

    def watch(self, turn: int, request: watch_pb2.ListAndWatchRequest) -> Any:
        """Opens a stream at the replica whose turn it is. Raises CallFailed."""
        method = self._channel(turn).unary_stream(
            _SERVICE + "ListAndWatch",
            request_serializer=watch_pb2.ListAndWatchRequest.SerializeToString,
            response_deserializer=watch_pb2.ListAndWatchResponse.FromString,
        )
        return method(request, metadata=self._metadata())

    async def call(self, turn: int, method: str, request: Message, answer: type[M], deadline: float) -> M:
        """Returns the answer of the replica whose turn it is, until a time of the monotonic clock. Raises CallFailed."""
        call = self._channel(turn).unary_unary(
            _SERVICE + method,
            request_serializer=type(request).SerializeToString,
            response_deserializer=answer.FromString,
        )
        timeout = max(0.0, deadline - time.monotonic())
        try:
            result: M = await call(request, metadata=self._metadata(), timeout=timeout)
            return result
        except grpc.aio.AioRpcError as error:
            raise call_failure(error) from error

    def closed(self) -> CallFailed:
        """Returns the failure of calls after close()."""
        return local_failure("CANCELLED", "the client is closed", Action.STOP)

    def _channel(self, turn: int) -> grpc.aio.Channel:
        if self._is_closed:
            raise self.closed()
        return self._channels[turn % len(self._channels)]

    def _metadata(self) -> tuple[tuple[str, str], ...]:
        """Reads the token for each call: it may have been replaced."""
        if self._token_file is None:
            return ()
        try:
            token = self._token_file.read_text().strip()
        except OSError as error:
            raise local_failure("UNAVAILABLE", f"there is no token to send: {error}") from error
        if not token:  # a file that is being replaced
            raise local_failure("UNAVAILABLE", f"there is no token to send: {self._token_file} is empty")
        return (("authorization", f"Bearer {token}"),)


def open_replicas(
    servers: Sequence[str], ca: str | Path | None, server_name: str, token_file: str | Path | None
) -> Replicas:
    """Returns connections that are made on first use. Raises ValueError or OSError for options that cannot be used."""
    if not servers:
        raise ValueError("connect needs a server: HOST:PORT")
    for server in servers:
        if not server.rpartition(":")[2].isdecimal():
            raise ValueError(f"{server!r} is not HOST:PORT")
    if ca is None:
        if server_name:
            raise ValueError("server_name is checked with TLS only: give ca, too")
        channels = [grpc.aio.insecure_channel(server, options=_OPTIONS) for server in servers]
    else:
        credentials = grpc.ssl_channel_credentials(_certificates(Path(ca)))
        name = [("grpc.ssl_target_name_override", server_name)] if server_name else []
        channels = [grpc.aio.secure_channel(server, credentials, options=[*_OPTIONS, *name]) for server in servers]
    return Replicas(channels, None if token_file is None else Path(token_file))


def _certificates(file: Path) -> bytes:
    pem = file.read_bytes()
    if b"-----BEGIN CERTIFICATE-----" not in pem:
        raise ValueError(f"{file} has no certificate in the form PEM")
    return pem
