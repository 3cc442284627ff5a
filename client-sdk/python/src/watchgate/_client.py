"""The client of a gateway."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Hashable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

from watchgate._backoff import Backoff, RetryBudget
from watchgate._errors import Action, CallFailed, WatchgateError, local_failure
from watchgate._follower import Follower
from watchgate._replicas import Replicas, open_replicas
from watchgate._resource_type import ResourceType, type_of
from watchgate._selection import Selection, SelectionOptions
from watchgate._state import State
from watchgate._store import Store
from watchgate._tls import tls_files
from watchgate._updates import Change, Changes, Snapshot, Update, change_of
from watchgate.v1 import watch_pb2

if TYPE_CHECKING:
    from typing_extensions import Unpack

T = TypeVar("T")


class Client:
    """Client of the replicas of a gateway, to be entered with `async with`. Made by `connect`; used within one event loop."""

    def __init__(self, replicas: Replicas, name: str, first_answer_timeout: float) -> None:
        self._replicas = replicas
        self._name = name
        self._budget = RetryBudget()
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
        differences. Raises WatchgateError when it cannot continue: the error needs a correction by a person.
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

        If `token` is given, updates start after its position. The token must come from a watch with the same selection. Raises WatchgateError
        when it cannot continue.
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
        """Returns the objects that match, all of one version, as ADDED. No matching object is an empty tuple.

        Raises WatchgateError if no replica answers within `timeout` seconds, or at once if one answers STOP.
        """
        selected = Selection(resource, **selection)
        request = watch_pb2.ListObjectsRequest(selection=selected.message(), projection=selected.projection())

        async def pages(replica: int, deadline: float) -> tuple[Change, ...]:
            objects: list[Change] = []
            request.page_token = b""
            while True:
                page = await self._replicas.call(
                    replica, "ListObjects", request, watch_pb2.ListObjectsResponse, deadline
                )
                for event in page.objects:
                    change = change_of(event)
                    if change is None:
                        text = f"the list has an object of the unknown type {event.type}"
                        raise local_failure("INTERNAL", text, Action.STOP)
                    objects.append(change)
                request.page_token = page.next_page_token
                if not request.page_token:
                    return tuple(objects)

        return await self._until_answered(pages, timeout)

    async def types(self, *, timeout: float = 30.0) -> tuple[ResourceType, ...]:
        """Returns the types that the gateway knows. Raises WatchgateError if no replica answers within `timeout` seconds, or at once if one answers STOP."""
        request = watch_pb2.ListResourceTypesRequest()

        async def answer(replica: int, deadline: float) -> tuple[ResourceType, ...]:
            types = await self._replicas.call(
                replica, "ListResourceTypes", request, watch_pb2.ListResourceTypesResponse, deadline
            )
            return tuple(type_of(served) for served in types.types)

        return await self._until_answered(answer, timeout)

    async def _until_answered(self, attempt: Callable[[int, float], Awaitable[T]], timeout: float) -> T:
        """Calls one replica after another until the timeout.

        Raises the last error of a replica, or DEADLINE_EXCEEDED if there was none.
        """
        deadline = time.monotonic() + timeout
        backoff = Backoff()
        replica: int | None = None
        last_error: CallFailed | None = None
        while True:
            replica = self._replicas.choose(replica)
            try:
                return await attempt(replica, deadline)
            except CallFailed as failed:
                if last_error is None or failed.failure.code != "DEADLINE_EXCEEDED":
                    last_error = failed
                delay = backoff.delay(failed.failure)
                if failed.failure.action is Action.STOP or time.monotonic() + delay >= deadline:
                    raise WatchgateError(last_error.failure) from failed
            await asyncio.sleep(delay)

    def _follower(self, resource: str, options: SelectionOptions, token: bytes) -> Follower:
        selection = Selection(resource, **options)
        request = watch_pb2.ListAndWatchRequest(
            selection=selection.message(), projection=selection.projection(), client_name=self._name
        )
        if token:
            request.resume_token = token
        return Follower(self._replicas, self._budget, request, self._first_answer_timeout)


def connect(
    *servers: str,
    ca: str | Path | None = None,
    certificate: str | Path | None = None,
    key: str | Path | None = None,
    server_name: str = "",
    token_file: str | Path | None = None,
    client_name: str = "watchgate-python",
    first_answer_timeout: float = 300.0,
    start_at_first: bool = False,
) -> Client:
    """Returns a client of the replicas at HOST:PORT, which connects on first use.

    The first stream is opened at a random server, or with `start_at_first` at the first one, and each later stream at the next. Without `ca`, a PEM file, it uses plaintext. `certificate` and `key` are PEM files of a client certificate.
    `server_name` is the name that the gateway's certificate must have, by default the host. `token_file` and the files of TLS are read for each call:
    new contents are used from then on. `client_name` names the program in the audit log and on the pages of the gateway.
    `first_answer_timeout`: seconds after which a watch raises an error if only servers that are not a gateway answer, usually because of a wrong
    address. No effect once a gateway has answered.
    Raises ValueError or OSError for options that cannot be used.
    """
    tls = tls_files(ca, certificate, key, server_name)
    return Client(open_replicas(servers, tls, token_file, start_at_first), client_name, first_answer_timeout)
