"""Index of a store."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Generic, TypeVar

from watchgate._updates import Key

T = TypeVar("T")


class Index(Generic[T]):
    """Keys of the objects that have a value."""

    def __init__(self, values: Callable[[T], Iterable[Hashable]]) -> None:
        self._values = values
        self._keys: dict[Hashable, set[Key]] = {}
        self._added: dict[Key, tuple[Hashable, ...]] = {}  # a program may change its objects

    def keys(self, value: Hashable) -> set[Key]:
        """Returns the keys of the objects that have a value."""
        return self._keys.get(value, set())

    def add(self, key: Key, obj: T) -> None:
        """Adds an object. Raises what the function of the values raises."""
        values = tuple(self._values(obj))
        self._added[key] = values
        for value in values:
            self._keys.setdefault(value, set()).add(key)

    def remove(self, key: Key) -> None:
        """Removes the object of a key."""
        for value in self._added.pop(key, ()):
            keys = self._keys[value]
            keys.discard(key)
            if not keys:
                del self._keys[value]
