"""The client of a gateway."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Callable, Hashable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

from google.protobuf.message import Message

from watchgate._backoff import Backoff
from watchgate._errors import Action, CallFailed, WatchgateError
from watchgate._follower import Follower
from watchgate._replicas import Replicas, open_replicas
from watchgate._resource_type import ResourceType, type_of
from watchgate._selection import Selection, SelectionOptions
from watchgate._state import State
from watchgate._store import Store
from watchgate._updates import Change, Changes, Snapshot, Update, change_of
from watchgate.v1 import watch_pb2

if TYPE_CHECKING:
    from typing_extensions import Unpack

T = TypeVar("T")
M = TypeVar("M", bound=Message)


class Client:
    """Client of the replicas of a gateway, to be entered with `async with`. Made by `connect`; used within one event loop."""

    def __init__(self, replicas: Replicas, first_answer_timeout: float) -> None:
        self._replicas = replicas
        self._first_answer_timeout = first_answer_timeout

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections; watches that are open raise WatchgateError."""
        await self._replicas.close()

    async def watch(self, resource: str, **selection: Unpack[SelectionOptions]) -> AsyncGenerator[Change, None]:
        """Yields the objects that match as ADDED, and then every change.

        It continues by itself when a gateway restarts or the connection breaks, and yields no change twice; after a new snapshot it yields the
        differences. Raises WatchgateError when it cannot continue: a person has to correct something then.
        """
        state = State()
        updates = self.updates(resource, **selection)
        try:
            async for update in updates:
                if isinstance(update, Snapshot):
                    for change in state.replace(update):
                        yield change
                elif isinstance(update, Changes):
                    for change in state.apply(update):
                        yield change
        finally:
            await updates.aclose()

    def updates(
        self, resource: str, *, token: bytes = b"", **selection: Unpack[SelectionOptions]
    ) -> AsyncGenerator[Update, None]:
        """Yields updates, for a program that keeps the state, and the token with it, by itself.

        With a token, the last one of an equal selection, it begins after it. Raises WatchgateError when it cannot continue.
        """
        return self._follower(resource, selection, token).updates()

    @overload
    def reflect(
        self,
        resource: str,
        *,
        indexes: Mapping[str, Callable[[Any], Iterable[Hashable]]] = ...,
        **selection: Unpack[SelectionOptions],
    ) -> Store[Any]: ...

    @overload
    def reflect(
        self,
        resource: str,
        *,
        decode: Callable[[bytes], T],
        indexes: Mapping[str, Callable[[T], Iterable[Hashable]]] = ...,
        **selection: Unpack[SelectionOptions],
    ) -> Store[T]: ...

    def reflect(
        self,
        resource: str,
        *,
        decode: Callable[[bytes], Any] = json.loads,
        indexes: Mapping[str, Callable[[Any], Iterable[Hashable]]] = {},
        **selection: Unpack[SelectionOptions],
    ) -> Store[Any]:
        """Returns a store, to be entered with `async with`.

        `decode` makes a value, not None, of the JSON of each object; of an object without a body it gets the metadata that identifies it. `indexes`
        has functions that return the values by which `where` finds an object. An exception of these functions ends the store.
        """
        return Store(self._follower(resource, selection, b""), decode, indexes)

    async def list(
        self, resource: str, *, timeout: float = 30.0, **selection: Unpack[SelectionOptions]
    ) -> tuple[Change, ...]:
        """Returns the objects that match, all of one version, as ADDED. Raises WatchgateError if none can be had within `timeout` seconds."""
        selected = Selection(resource, **selection)
        request = watch_pb2.ListObjectsRequest(selection=selected.message(), projection=selected.projection())
        deadline = time.monotonic() + timeout
        objects: list[Change] = []
        while True:
            try:
                page = await self._call("ListObjects", request, watch_pb2.ListObjectsResponse, deadline)
            except CallFailed as failed:  # the version of the pages is no longer held
                objects.clear()
                request.page_token = b""
                if time.monotonic() >= deadline:
                    raise WatchgateError(failed.failure) from failed
                continue
            objects.extend(change_of(event) for event in page.objects)
            if not page.next_page_token:
                return tuple(objects)
            request.page_token = page.next_page_token

    async def types(self, *, timeout: float = 30.0) -> tuple[ResourceType, ...]:
        """Returns the types that the gateway knows. Raises WatchgateError if none can be had within `timeout` seconds."""
        deadline = time.monotonic() + timeout
        request = watch_pb2.ListResourceTypesRequest()
        answer = await self._call("ListResourceTypes", request, watch_pb2.ListResourceTypesResponse, deadline)
        return tuple(type_of(served) for served in answer.types)

    async def _call(self, method: str, request: Message, answer: type[M], deadline: float) -> M:
        """Calls one replica after another until the deadline. Raises CallFailed for RESTART."""
        backoff = Backoff()
        turn = 0
        while True:
            try:
                return await self._replicas.call(turn, method, request, answer, max(0.0, deadline - time.monotonic()))
            except CallFailed as failed:
                if failed.failure.action is Action.RESTART:
                    raise
                delay = backoff.delay(failed.failure)
                if failed.failure.action is Action.STOP or time.monotonic() + delay >= deadline:
                    raise WatchgateError(failed.failure) from failed
            await asyncio.sleep(delay)
            turn += 1

    def _follower(self, resource: str, options: SelectionOptions, token: bytes) -> Follower:
        selection = Selection(resource, **options)
        request = watch_pb2.ListAndWatchRequest(selection=selection.message(), projection=selection.projection())
        if token:
            request.resume_token = token
        return Follower(self._replicas, request, self._first_answer_timeout)


def connect(
    *servers: str,
    ca: str | Path | None = None,
    server_name: str = "",
    token_file: str | Path | None = None,
    first_answer_timeout: float = 300.0,
) -> Client:
    """Returns a client of the replicas at HOST:PORT, which connects on first use.

    A watch uses the servers in turn. Without `ca`, a PEM file, it uses plaintext. `server_name` is the name that the certificate must have, by default
    the host. `token_file` is read for each call. Within `first_answer_timeout` seconds a gateway has to answer if other servers do: a wrong address
    ends the watch. Raises ValueError or OSError for options that cannot be used.
    """
    return Client(open_replicas(servers, ca, server_name, token_file), first_answer_timeout)
