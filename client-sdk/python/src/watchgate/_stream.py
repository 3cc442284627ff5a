"""One stream of a watch."""

from __future__ import annotations

import asyncio
from typing import Any

import grpc

from watchgate._errors import UnknownChange, call_failure, decoded, local_failure
from watchgate._replicas import Replicas
from watchgate._updates import Bookmark, Change, Changes, NetEffect, Received, Resumed, Snapshot, change_of, net_effect_of
from watchgate.v1 import watch_pb2

# Seconds: three bookmark intervals of 30 s, until a gateway names another one.
_SILENCE = 90.0


class Stream:
    """Stream that is open, and the part of a snapshot or a net effect that has arrived."""

    def __init__(self, replicas: Replicas, index: int, request: watch_pb2.ListAndWatchRequest) -> None:
        """Opens the stream. Raises CallFailed."""
        self._replicas = replicas
        self._call: Any = replicas.watch(index, request)
        self._silence = _SILENCE
        self._held: list[Change] = []
        self._is_snapshot = False
        self._net_effect: NetEffect | None = None
        self.is_answered = False
        """Whether a gateway has answered."""
        self.reconnect_within: float | None = None
        """Seconds within which another stream is to be opened, None while this one goes on."""

    def close(self) -> None:
        """Ends the stream."""
        self._call.cancel()

    async def read(self) -> Received | None:
        """Waits for a response, and returns the update that it completes. Raises CallFailed."""
        response = await self._response()
        signal = response.WhichOneof("signal")
        if signal == "opened":
            self.is_answered = True
            interval = response.opened.delivery.bookmark_interval
            self._silence = 3 * (interval.seconds + interval.nanos / 1e9) or _SILENCE
        elif signal == "snapshot_started":
            self._held, self._is_snapshot, self._net_effect = [], True, None
        elif signal == "net_effect_started":
            self._net_effect = net_effect_of(response.net_effect_started)
        elif signal == "going_away":
            within = response.going_away.reconnect_within
            self.reconnect_within = within.seconds + within.nanos / 1e9
        for event in response.events:
            change = change_of(event)
            if change is None:
                raise UnknownChange
            self._held.append(change)
        if not response.resume_token:
            return None
        held, is_snapshot, net_effect = tuple(self._held), self._is_snapshot, self._net_effect
        self._held, self._is_snapshot, self._net_effect = [], False, None
        version, token = response.resource_version, response.resume_token
        if is_snapshot:
            return Snapshot(held, version, token)
        if held or net_effect:
            return Changes(held, version, token, net_effect)
        return Resumed(version, token) if signal == "resumed" else Bookmark(version, token)

    async def _response(self) -> watch_pb2.ListAndWatchResponse:
        # Reads in a separate task, to distinguish the end of the call from a cancellation of the current task. asyncio.wait_for may swallow a
        # cancellation before Python 3.12. close() cancels the call, which ends the separate task.
        reading = asyncio.ensure_future(self._call.read())
        reading.add_done_callback(_ignore_error)
        await asyncio.wait({reading}, timeout=self._silence)
        if not reading.done():
            raise local_failure("DEADLINE_EXCEEDED", f"the stream was silent for {self._silence:g} s")
        if reading.cancelled():
            raise self._replicas.closed()
        try:
            response = reading.result()
        except grpc.aio.AioRpcError as error:
            raise call_failure(error) from error
        if response is grpc.aio.EOF:
            raise local_failure("UNKNOWN", "the stream ended without an error, which a gateway never does")
        return decoded(watch_pb2.ListAndWatchResponse, response)


def _ignore_error(reading: asyncio.Future[Any]) -> None:
    # Otherwise asyncio logs the error of a read whose result is not needed any more.
    if not reading.cancelled():
        reading.exception()
