"""A program whose types mypy and pyright check against the installed package, in their strict modes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import watchgate
from watchgate.testing import FakeGateway

if TYPE_CHECKING:
    from typing_extensions import assert_type


@dataclass
class Pod:
    """A type of the program."""

    node: str

    @staticmethod
    def parse(body: bytes) -> Pod:
        """Reads the JSON of an object."""
        return Pod(body.decode())

    def nodes(self) -> list[str]:
        """Returns the values of an index."""
        return [self.node]


def text(update: watchgate.Update) -> str:
    """Returns an update as text; every one has a case."""
    match update:
        case watchgate.Snapshot(objects, version, token):
            assert_type(objects, tuple[watchgate.Change, ...])
            return f"{len(objects)} {version} {token!r}"
        case watchgate.Changes(changes):
            return ", ".join(change.key.name for change in changes)
        case watchgate.Resumed() | watchgate.Bookmark():
            return update.resource_version
        case watchgate.Interrupted(failure, delay):
            assert_type(failure.action, watchgate.Action)
            return f"{failure.message} {delay}"


async def main() -> None:
    """Uses each part of the package."""
    async with FakeGateway() as gateway, watchgate.connect(gateway.address) as client:
        async for change in client.watch("pods", namespaces=["shop"], labels="app=web", view=watchgate.View.METADATA):
            assert_type(change, watchgate.Change)
            assert_type(change.type, watchgate.ChangeType)
            assert_type(change.key.namespace, str)
        async for update in client.updates("pods", token=b"token"):
            print(text(update))
        async with client.reflect("pods") as raw:
            assert_type(raw, watchgate.Store[Any])
        indexes = {"node": Pod.nodes}
        async with client.reflect("pods", decode=Pod.parse, indexes=indexes, group="apps") as pods:
            assert_type(pods, watchgate.Store[Pod])
            assert_type(pods["shop", "web"], Pod)
            assert_type(pods.where(node="n7"), list[Pod])
            mapping: Mapping[watchgate.Key, Pod] = pods
            async for difference in pods.changes():
                assert_type(difference, watchgate.Difference[Pod])
                assert_type(difference.old, Pod | None)
            print(mapping)
        try:
            assert_type(await client.list("pods", timeout=1.0), tuple[watchgate.Change, ...])
            assert_type(await client.types(), tuple[watchgate.ResourceType, ...])
        except watchgate.WatchgateError as error:
            assert_type(error.failure, watchgate.Failure)
