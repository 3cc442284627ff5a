"""Selections: the objects that are watched, and the parts of them that are sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TypedDict

from watchgate.v1 import watch_pb2


class View(Enum):
    """Part of each object that is sent."""

    FULL = "FULL"
    NO_MANAGED_FIELDS = "NO_MANAGED_FIELDS"
    METADATA = "METADATA"
    KEY = "KEY"


class SelectionOptions(TypedDict, total=False):
    """Options of a selection, all of which may be left out.

    `group` and `version` are needed for a resource that is in several. Without `namespaces` all are selected. `labels` and `fields` are selectors in
    the grammar of Kubernetes: `app in (web,api)`. `include` are JSON pointers: only these parts, and the metadata that identifies an object, are
    sent; not together with `view`.
    """

    group: str
    version: str
    namespaces: Sequence[str]
    labels: str
    fields: str
    view: View
    include: Sequence[str]


@dataclass(frozen=True)
class Selection:
    """Set of objects of one resource: a plural, singular, short name or kind. The fields are those of SelectionOptions."""

    resource: str
    group: str = ""
    version: str = ""
    namespaces: Sequence[str] = ()
    labels: str = ""
    fields: str = ""
    view: View = View.FULL
    include: Sequence[str] = ()

    def __post_init__(self) -> None:
        for name in ("namespaces", "include"):
            if isinstance(getattr(self, name), str):
                raise TypeError(f"{name} is a list of texts, not one text")
        if self.include and self.view is not View.FULL:
            raise ValueError("include and view exclude each other")

    def message(self) -> watch_pb2.Selection:
        """Returns the message of the contract."""
        return watch_pb2.Selection(
            resource_type=watch_pb2.ResourceType(group=self.group, version=self.version, resource=self.resource),
            namespaces=self.namespaces,
            label_selector=self.labels,
            field_selector=self.fields,
        )

    def projection(self) -> watch_pb2.Projection:
        """Returns the message of the contract."""
        view = "OBJECT_VIEW_UNSPECIFIED" if self.include else "OBJECT_VIEW_" + self.view.value
        return watch_pb2.Projection(view=view, include_pointers=self.include)
