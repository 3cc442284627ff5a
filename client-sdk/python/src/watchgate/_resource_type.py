"""Types that can be watched."""

from __future__ import annotations

from dataclasses import dataclass

from watchgate.v1 import watch_pb2


@dataclass(frozen=True)
class ResourceType:
    """Type of objects at a gateway. `error` is the last error of the apiserver, empty while it answers."""

    group: str
    version: str
    resource: str
    kind: str
    is_namespaced: bool
    short_names: tuple[str, ...]
    selectable_fields: tuple[str, ...]
    objects: int
    is_synced: bool
    error: str


def type_of(served: watch_pb2.ServedType) -> ResourceType:
    """Returns the type of a message of the contract."""
    return ResourceType(
        group=served.resource_type.group,
        version=served.resource_type.version,
        resource=served.resource_type.resource,
        kind=served.kind,
        is_namespaced=served.namespaced,
        short_names=tuple(served.short_names),
        selectable_fields=tuple(served.selectable_fields),
        objects=served.objects,
        is_synced=served.synced,
        error=served.error,
    )
