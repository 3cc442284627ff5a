"""A store that is kept equal to the apiserver's state."""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from watchgate._errors import Action, Failure, WatchgateError
from watchgate._follower import Follower
from watchgate._index import Index
from watchgate._state import State
from watchgate._updates import Change, Changes, ChangeType, Interrupted, Key, Snapshot

T = TypeVar("T")


@dataclass(frozen=True)
class Difference(Generic[T]):
    """Change of one object of a store: `old` is None if it is new, `new` if it is gone."""

    key: Key
    old: T | None
    new: T | None


class Store(Mapping[Key, T]):
    """Decoded objects by namespace and name: `store["shop", "web-1"]`. Entered with `async with`.

    It keeps its last state while no gateway can be reached (`failure` says why) and after its watch has ended (`error` says why). Used within one
    event loop.
    """

    def __init__(
        self, follower: Follower, decode: Callable[[bytes], T], indexes: Mapping[str, Callable[[T], Iterable[Hashable]]]
    ) -> None:
        self._follower = follower
        self._decode = decode
        self._objects: dict[Key, T] = {}
        self._indexes = {name: Index(values) for name, values in indexes.items()}
        self._state = State()
        self._pending: list[OrderedDict[Key, T | None]] = []  # of each reader: keys of differences, with the old object
        self._resource_version = ""
        self._news = asyncio.Event()  # another one after each update
        self._task: asyncio.Task[None] | None = None
        self.failure: Failure | None = None
        """Why the last stream ended, None while one is open."""
        self.error: Exception | None = None
        """Why the store has ended: WatchgateError, also after its context, or what `decode` or an index has raised. None until then."""

    async def __aenter__(self) -> Store[T]:
        self._task = asyncio.create_task(self._run(), name="watchgate store")
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._task:
            self._task.cancel()
            await asyncio.wait({self._task})
        if self.error is None:
            self.error = WatchgateError(Failure("CANCELLED", "", Action.STOP, "the store is closed"))
            self._wake()

    @property
    def resource_version(self) -> str:
        """Version of the state, empty before the first snapshot."""
        return self._resource_version

    async def synced(self) -> None:
        """Waits for the first snapshot. Raises `error` if the watch ends."""
        while not self._resource_version:
            await self._update()

    async def wait_at_least(self, resource_version: str) -> None:
        """Waits for the state of at least this version, of an object that you wrote or read. Raises `error` if the watch ends."""
        wanted = int(resource_version)
        while int(self._resource_version or -1) < wanted:
            await self._update()

    async def changes(self) -> AsyncGenerator[Difference[T], None]:
        """Yields the objects that are there, and then the differences. Raises `error` when the watch ends.

        A reader that is slower than the changes of an object gets one difference for them, from the object that it got last to the present one.
        """
        pending: OrderedDict[Key, T | None] = OrderedDict((key, None) for key in self._objects)
        self._pending.append(pending)
        try:
            while True:
                while pending:
                    key, old = pending.popitem(last=False)
                    new = self._objects.get(key)
                    if old is not new:
                        yield Difference(key, old, new)
                await self._update()
        finally:
            self._pending[:] = [other for other in self._pending if other is not pending]

    def where(self, **values: Hashable) -> list[T]:
        """Returns the objects that have all of these values in the indexes of these names: `where(node="n7")`."""
        keys = set(self._objects) if not values else None
        for name, value in values.items():
            if name not in self._indexes:
                raise ValueError(f"the store has no index {name}; reflect(indexes=…) makes one")
            found = self._indexes[name].keys(value)
            keys = set(found) if keys is None else keys & found
        return [self._objects[key] for key in keys or ()]

    def __getitem__(self, key: tuple[str, str]) -> T:
        return self._objects[Key(*key)]

    def __iter__(self) -> Iterator[Key]:
        return iter(self._objects)

    def __len__(self) -> int:
        return len(self._objects)

    async def _update(self) -> None:
        if self.error:
            raise self.error
        await self._news.wait()

    async def _run(self) -> None:
        self._follower.on_open = self._opened
        updates = self._follower.updates()
        try:
            async for update in updates:
                if isinstance(update, Interrupted):
                    self.failure = update.failure
                    continue
                if isinstance(update, Snapshot):
                    self._apply(self._state.replace(update))
                elif isinstance(update, Changes):
                    self._apply(self._state.apply(update))
                self._resource_version = update.resource_version
                self._wake()
        except Exception as error:
            self.error = error
            self._wake()
        finally:
            await updates.aclose()

    def _opened(self) -> None:
        self.failure = None

    def _wake(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    def _apply(self, changes: Iterator[Change]) -> None:
        for change in changes:
            key = change.key
            old = self._objects.get(key)
            new = None if change.type is ChangeType.DELETED else self._decode(_body(change))
            if old is not None:
                del self._objects[key]
                for index in self._indexes.values():
                    index.remove(key)
            if new is not None:
                self._objects[key] = new
                for index in self._indexes.values():
                    index.add(key, new)
            for pending in self._pending:
                if pending.setdefault(key, old) is None and new is None:
                    # An object that was created and deleted would stay here until the reader continues: any number of names.
                    del pending[key]


def _body(change: Change) -> bytes:
    """Returns the object; without a body, what identifies it."""
    if change.body is not None:
        return change.body
    metadata: dict[str, Any] = {"name": change.key.name, "uid": change.uid, "resourceVersion": change.resource_version}
    if change.key.namespace:
        metadata["namespace"] = change.key.namespace
    return json.dumps({"metadata": metadata}).encode()
