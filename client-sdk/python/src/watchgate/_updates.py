"""Updates of a watch, in the order in which they are to be applied."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any, NamedTuple, Union

from watchgate._errors import Failure
from watchgate.v1 import watch_pb2


class Key(NamedTuple):
    """Namespace and name of an object; the namespace of a cluster-scoped one is empty."""

    namespace: str
    name: str


class ChangeType(Enum):
    """Kind of a change."""

    ADDED = "ADDED"
    MODIFIED = "MODIFIED"
    DELETED = "DELETED"


@dataclass(frozen=True)
class Change:
    """Change of one object.

    `body` is the object as JSON, in the state after the change, or before the deletion. It is None if the object exceeds the largest response, if the
    view has no bodies, or if the deletion was found by comparing states.
    """

    type: ChangeType
    key: Key
    uid: str
    resource_version: str
    body: bytes | None

    @cached_property
    def object(self) -> Any:
        """The parsed body, None without one. Integers keep all of their digits."""
        return None if self.body is None else json.loads(self.body)


@dataclass(frozen=True)
class Snapshot:
    """Complete state, which replaces the one before. Each object is of the type ADDED."""

    objects: tuple[Change, ...]
    resource_version: str
    token: bytes


@dataclass(frozen=True)
class NetEffect:
    """Range of changes of which only the difference between its two ends was sent.

    `reason` is `LAG`, if the stream was too far behind, or `UPSTREAM_GAP`, if the gateway had to list again; a later gateway may have others.
    `events_replaced` is the number of changes in the range, 0 if it is unknown.
    """

    reason: str
    events_replaced: int


@dataclass(frozen=True)
class Changes:
    """Changes to be applied together, up to `token`. With `net_effect` they stand for others, which were not sent one by one; there may be none."""

    changes: tuple[Change, ...]
    resource_version: str
    token: bytes
    net_effect: NetEffect | None = None


@dataclass(frozen=True)
class Resumed:
    """Beginning of changes without a snapshot: those since the token follow."""

    resource_version: str
    token: bytes


@dataclass(frozen=True)
class Bookmark:
    """Position up to which everything was sent."""

    resource_version: str
    token: bytes


@dataclass(frozen=True)
class Interrupted:
    """Failure of a stream, or of the attempt to open one; the next is opened after `delay` seconds."""

    failure: Failure
    delay: float


Received = Union[Snapshot, Changes, Resumed, Bookmark]
"""Update that a gateway sent."""

Update = Union[Snapshot, Changes, Resumed, Bookmark, Interrupted]
"""Update of a watch."""

_TYPES = {
    watch_pb2.EVENT_TYPE_ADDED: ChangeType.ADDED,
    watch_pb2.EVENT_TYPE_MODIFIED: ChangeType.MODIFIED,
    watch_pb2.EVENT_TYPE_DELETED: ChangeType.DELETED,
}


def net_effect_of(started: watch_pb2.NetEffectStarted) -> NetEffect:
    """Returns the net effect that a signal announces."""
    names = {number: name for name, number in watch_pb2.NetEffectReason.items()}
    reason = names.get(started.reason, str(started.reason)).removeprefix("NET_EFFECT_REASON_")
    return NetEffect(reason, started.events_replaced)


def change_of(event: watch_pb2.WatchEvent) -> Change | None:
    """Returns the change of an event, None for an unknown type, and for a patch, which this package does not request."""
    kind = _TYPES.get(event.type)
    if kind is None or event.HasField("patch"):
        return None
    return Change(
        kind,
        Key(event.key.namespace, event.key.name),
        event.key.uid,
        event.resource_version,
        event.object if event.WhichOneof("body") == "object" else None,
    )
