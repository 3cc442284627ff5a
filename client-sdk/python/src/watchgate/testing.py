"""A gateway within the process, for tests of programs that watch."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import grpc

from watchgate.v1 import watch_pb2

_SERVICE = "watchgate.v1.WatchService"
_PAGE = 100  # objects


class FakeGateway:
    """Gateway whose objects a test sets: the same ones for every type that is asked for. Namespaces are applied; selectors are refused.

    `async with FakeGateway() as gateway: watchgate.connect(gateway.address)`. Used within one event loop.
    """

    def __init__(self) -> None:
        self._objects: dict[tuple[str, str], watch_pb2.WatchEvent] = {}
        # Its element N is the change to version N + 1; None is a version without a change.
        self._history: list[watch_pb2.WatchEvent | None] = []
        self._oldest = 0  # version of the oldest token that resumes
        self._cuts = 0
        self._refusal: tuple[str, str] | None = None
        self._news = asyncio.Event()  # another one after each change
        self._server = grpc.aio.server()
        self.address = ""
        """HOST:PORT, once it is entered."""
        self.open_streams = 0
        """Number of streams that are open."""

    async def __aenter__(self) -> FakeGateway:
        handlers: dict[str, grpc.RpcMethodHandler[Any, Any]] = {
            "ListAndWatch": grpc.unary_stream_rpc_method_handler(
                self._list_and_watch,
                request_deserializer=watch_pb2.ListAndWatchRequest.FromString,
                response_serializer=watch_pb2.ListAndWatchResponse.SerializeToString,
            ),
            "ListObjects": grpc.unary_unary_rpc_method_handler(
                self._list_objects,
                request_deserializer=watch_pb2.ListObjectsRequest.FromString,
                response_serializer=watch_pb2.ListObjectsResponse.SerializeToString,
            ),
            "ListResourceTypes": grpc.unary_unary_rpc_method_handler(
                self._list_types,
                request_deserializer=watch_pb2.ListResourceTypesRequest.FromString,
                response_serializer=watch_pb2.ListResourceTypesResponse.SerializeToString,
            ),
        }
        self._server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(_SERVICE, handlers),))
        self.address = f"127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"
        await self._server.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._server.stop(None)

    def put(self, namespace: str, name: str, value: Any) -> str:
        """Creates or changes an object, whose JSON is `value`; returns its resourceVersion."""
        before = self._objects.get((namespace, name))
        kind = watch_pb2.EVENT_TYPE_MODIFIED if before else watch_pb2.EVENT_TYPE_ADDED
        uid = before.key.uid if before else f"uid-{len(self._history)}"
        key = watch_pb2.ObjectKey(namespace=namespace, name=name, uid=uid)
        self._objects[namespace, name] = self._record(kind, key, json.dumps(value).encode())
        return self._version()

    def delete(self, namespace: str, name: str) -> str:
        """Deletes an object; returns the resourceVersion of the deletion. Raises KeyError if there is none."""
        last = self._objects.pop((namespace, name))
        self._record(watch_pb2.EVENT_TYPE_DELETED, last.key, last.object)
        return self._version()

    def cut(self) -> None:
        """Ends all streams as a connection that breaks: clients resume."""
        self._cuts += 1
        self._wake()

    def expire_tokens(self) -> None:
        """Makes all present tokens expire: streams that resume with one begin with a snapshot. Open streams go on."""
        self._history.append(None)  # so that a token of the present state expires, too
        self._oldest = len(self._history)

    def refuse(self, reason: str, action: str = "STOP") -> None:
        """Ends all streams and refuses calls from now on with PERMISSION_DENIED, as ACCESS_DENIED does. An empty reason ends this."""
        self._refusal = (reason, action) if reason else None
        self.cut()

    def _version(self) -> str:
        return str(len(self._history))

    def _wake(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    def _record(self, kind: Any, key: watch_pb2.ObjectKey, body: bytes) -> watch_pb2.WatchEvent:
        event = watch_pb2.WatchEvent(
            type=kind,
            key=key,
            resource_version=str(len(self._history) + 1),
            object=body,
        )
        self._history.append(event)
        self._wake()
        return event

    async def _list_objects(self, request: watch_pb2.ListObjectsRequest, context: Any) -> watch_pb2.ListObjectsResponse:
        await self._check(request.selection, context)
        objects = self._snapshot(request.selection)
        start = int(request.page_token or 0)
        end = start + _PAGE
        return watch_pb2.ListObjectsResponse(
            objects=objects[start:end],
            next_page_token=str(end).encode() if end < len(objects) else b"",
            resource_version=self._version(),
            total_objects=len(objects),
        )

    async def _list_types(self, _: watch_pb2.ListResourceTypesRequest, context: Any) -> watch_pb2.ListResourceTypesResponse:
        await self._check(watch_pb2.Selection(), context)
        pods = watch_pb2.ServedType(
            resource_type=watch_pb2.ResourceType(version="v1", resource="pods"),
            kind="Pod",
            namespaced=True,
            synced=True,
            objects=len(self._objects),
            short_names=["po"],
        )
        return watch_pb2.ListResourceTypesResponse(types=[pods])

    async def _list_and_watch(
        self, request: watch_pb2.ListAndWatchRequest, context: Any
    ) -> AsyncIterator[watch_pb2.ListAndWatchResponse]:
        self.open_streams += 1
        cuts = self._cuts
        try:
            await self._check(request.selection, context)
            yield watch_pb2.ListAndWatchResponse(opened=watch_pb2.StreamOpened(stream_id="fake"))
            at = int(request.resume_token or -1)
            if at < self._oldest:
                at = len(self._history)
                objects = self._snapshot(request.selection)
                yield watch_pb2.ListAndWatchResponse(snapshot_started=watch_pb2.SnapshotStarted())
                for event in objects:
                    yield watch_pb2.ListAndWatchResponse(events=[event])
                yield self._at(at, synced=watch_pb2.Synced(objects=len(objects)))
            else:
                yield self._at(at, resumed=watch_pb2.Resumed())
            while True:
                if self._cuts > cuts:
                    await self._check(request.selection, context)
                    await context.abort(grpc.StatusCode.UNAVAILABLE, "the connection was cut")
                if at < len(self._history):
                    change = self._history[at]
                    at += 1
                    if change:
                        yield self._at(at, events=[change] if _selects(request.selection, change) else [])
                else:
                    await self._news.wait()
        finally:
            self.open_streams -= 1

    async def _check(self, selection: watch_pb2.Selection, context: Any) -> None:
        if selection.label_selector or selection.field_selector:
            await _abort(context, grpc.StatusCode.INVALID_ARGUMENT, "SELECTOR_INVALID", "STOP", "FakeGateway reads no objects")
        if self._refusal:
            reason, action = self._refusal
            await _abort(context, grpc.StatusCode.PERMISSION_DENIED, reason, action, f"refused with {reason}")

    def _snapshot(self, selection: watch_pb2.Selection) -> list[watch_pb2.WatchEvent]:
        objects = []
        for event in self._objects.values():
            if _selects(selection, event):
                added = watch_pb2.WatchEvent()
                added.CopyFrom(event)
                added.type = watch_pb2.EVENT_TYPE_ADDED
                objects.append(added)
        return objects

    @staticmethod
    def _at(version: int, **fields: Any) -> watch_pb2.ListAndWatchResponse:
        # Version 0 is the state before the first change.
        return watch_pb2.ListAndWatchResponse(resource_version=str(version), resume_token=str(version).encode(), **fields)


def _selects(selection: watch_pb2.Selection, event: watch_pb2.WatchEvent) -> bool:
    return not selection.namespaces or event.key.namespace in selection.namespaces


async def _abort(context: Any, code: grpc.StatusCode, reason: str, action: str, message: str) -> None:
    await context.abort(code, message, (("watchgate-reason", reason), ("watchgate-action", action)))
