"""Client of Watchgate, a gateway in front of a Kubernetes apiserver.

    async with watchgate.connect("gateway:7443") as client:
        async for change in client.watch("pods", namespaces=["shop"]):
            print(change.type.value, change.key.name)
"""

from watchgate._client import Client, connect
from watchgate._errors import Action, Failure, WatchgateError
from watchgate._resource_type import ResourceType
from watchgate._selection import SelectionOptions, View
from watchgate._store import Difference, Store
from watchgate._updates import (
    Bookmark,
    Change,
    Changes,
    ChangeType,
    Interrupted,
    Key,
    NetEffect,
    Resumed,
    Snapshot,
    Update,
)

__all__ = [
    "Action",
    "Bookmark",
    "Change",
    "ChangeType",
    "Changes",
    "Client",
    "Difference",
    "Failure",
    "Interrupted",
    "Key",
    "NetEffect",
    "ResourceType",
    "Resumed",
    "SelectionOptions",
    "Snapshot",
    "Store",
    "Update",
    "View",
    "WatchgateError",
    "connect",
]
