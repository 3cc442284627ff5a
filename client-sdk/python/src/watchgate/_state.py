"""State of a watch, for its difference to a snapshot."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from watchgate._updates import Change, Changes, ChangeType, Key, Snapshot


class _Version(NamedTuple):
    """Version of an object, without the object. The same resourceVersion may come with another body: after a change of its schema."""

    uid: str
    resource_version: str
    hash: int

    @staticmethod
    def of(change: Change) -> _Version:
        return _Version(change.uid, change.resource_version, hash(change.body))


class State:
    """Versions of the objects that a watch has yielded, by namespace and name."""

    def __init__(self) -> None:
        self._versions: dict[Key, _Version] = {}

    def apply(self, changes: Changes) -> Iterator[Change]:
        """Applies changes, and yields them."""
        for change in changes.changes:
            if change.type is ChangeType.DELETED:
                self._versions.pop(change.key, None)
            else:
                self._versions[change.key] = _Version.of(change)
            yield change

    def replace(self, snapshot: Snapshot) -> Iterator[Change]:
        """Replaces the state, and yields the differences: deletions first. Equal objects are left out."""
        before = self._versions
        self._versions = {change.key: _Version.of(change) for change in snapshot.objects}
        for key, old in before.items():
            new = self._versions.get(key)
            if new is None or new.uid != old.uid:
                # The last state of the object is not known.
                yield Change(ChangeType.DELETED, key, old.uid, old.resource_version, None)
        for change in snapshot.objects:
            known = before.get(change.key)
            if known is None or known.uid != change.uid:
                yield change
            elif known != self._versions[change.key]:
                yield replace(change, type=ChangeType.MODIFIED)
