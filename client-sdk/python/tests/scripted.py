"""A server of the contract whose answers a test writes, as bytes."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Any

import grpc

from watchgate.v1 import watch_pb2

OPENED = watch_pb2.ListAndWatchResponse(opened=watch_pb2.StreamOpened()).SerializeToString()
SNAPSHOT = (
    OPENED,
    watch_pb2.ListAndWatchResponse(snapshot_started=watch_pb2.SnapshotStarted()).SerializeToString(),
    watch_pb2.ListAndWatchResponse(
        resource_version="1", resume_token=b"t1", synced=watch_pb2.Synced()
    ).SerializeToString(),
)


@contextlib.asynccontextmanager
async def scripted(watch: Callable[[Any], AsyncIterator[bytes]], listed: bytes = b"") -> AsyncIterator[str]:
    """Starts a server, and yields its address. `watch` gets the context of each stream; `listed` is the answer to ListObjects."""

    async def list_objects(*_: object) -> bytes:
        return listed

    async def list_and_watch(_: object, context: Any) -> AsyncIterator[bytes]:
        async for response in watch(context):
            yield response

    handlers: dict[str, grpc.RpcMethodHandler[Any, Any]] = {
        "ListAndWatch": grpc.unary_stream_rpc_method_handler(list_and_watch),
        "ListObjects": grpc.unary_unary_rpc_method_handler(list_objects),
    }
    server = grpc.aio.server()
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("watchgate.v1.WatchService", handlers),))
    address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    try:
        yield address
    finally:
        await server.stop(None)
