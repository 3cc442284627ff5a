"""Channels to the replicas of a gateway."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import grpc

from watchgate._tls import TlsFiles

_OPTIONS: list[tuple[str, Any]] = [
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.max_pings_without_data", 0),  # no limit
    ("grpc.max_reconnect_backoff_ms", 5_000),  # a watch waits by itself
    ("grpc.enable_retries", 0),  # a watch resumes at its own position
]
_GENERATIONS = 2


class Channels:
    """Channels to the replicas, which are made again when the TLS files change. Used within one event loop."""

    def __init__(self, servers: Sequence[str], tls: TlsFiles | None) -> None:
        self._servers = servers
        self._tls = tls
        # Channels for the present and the previous TLS files: open streams keep the previous ones. They end within half an hour, and new
        # certificates are rarer. If the files change twice before that, the streams are interrupted, and resume.
        self._generations = [self._open()]
        self._closing: set[asyncio.Task[None]] = set()

    def at(self, index: int) -> grpc.aio.Channel:
        """Returns the channel to a replica with the present TLS files."""
        if self._tls and self._tls.have_changed():
            self._generations.append(self._open())
            if len(self._generations) > _GENERATIONS:
                closing = asyncio.create_task(_close(self._generations.pop(0)), name="watchgate channels")
                self._closing.add(closing)
                closing.add_done_callback(self._closing.discard)
        return self._generations[-1][index]

    async def close(self) -> None:
        """Closes the channels, and with them all streams."""
        for generation in self._generations:
            await _close(generation)
        await asyncio.gather(*self._closing)

    def _open(self) -> list[grpc.aio.Channel]:
        credentials, options = (self._tls.credentials(), self._tls.options()) if self._tls else (None, [])
        return [
            grpc.aio.insecure_channel(server, options=[*_OPTIONS, *options])
            if credentials is None
            else grpc.aio.secure_channel(server, credentials, options=[*_OPTIONS, *options])
            for server in self._servers
        ]


async def _close(generation: list[grpc.aio.Channel]) -> None:
    for channel in generation:
        await channel.close()
