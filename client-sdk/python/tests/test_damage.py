"""Tests of answers that are damaged on their way: each is a failure, and the watch resumes."""

from __future__ import annotations

import asyncio
import contextlib
import unittest
from collections.abc import AsyncIterator
from typing import Any

import grpc
from google.protobuf import any_pb2
from google.rpc import status_pb2

import watchgate
from scripted import SNAPSHOT, scripted
from watchgate import Action, Failure, Interrupted, Snapshot, WatchgateError
from watchgate.v1 import watch_pb2

DAMAGED = b"\xff\xff"


class DamageTest(unittest.IsolatedAsyncioTestCase):
    async def failure(self, first: Any) -> Failure:
        """Returns the failure of a stream, after which the next one has a snapshot."""
        streams = 0

        async def watch(context: Any) -> AsyncIterator[bytes]:
            nonlocal streams
            streams += 1
            if streams == 1:
                yield await first(context)
            for response in SNAPSHOT:
                yield response
            await asyncio.Event().wait()

        async with scripted(watch) as address, watchgate.connect(address) as client:
            async with contextlib.aclosing(client.updates("pods")) as updates:
                update = await asyncio.wait_for(anext(updates), 60)
                assert isinstance(update, Interrupted), update
                self.assertIsInstance(await asyncio.wait_for(anext(updates), 60), Snapshot)
                return update.failure

    async def test_response_bytes_that_are_no_message(self) -> None:
        async def answer(_: Any) -> bytes:
            return DAMAGED

        failure = await self.failure(answer)
        self.assertEqual((failure.code, failure.action), ("INTERNAL", Action.RESUME))
        self.assertRegex(failure.message, "the answer cannot be read")

    async def test_details_that_cannot_be_decoded(self) -> None:
        detail = any_pb2.Any(type_url="type.googleapis.com/google.rpc.ErrorInfo", value=DAMAGED)
        details = status_pb2.Status(details=[detail]).SerializeToString()

        async def answer(context: Any) -> bytes:
            trailers = (("grpc-status-details-bin", details), ("watchgate-reason", "STARTING"))
            await context.abort(grpc.StatusCode.UNAVAILABLE, "it starts", trailers)
            return b""

        failure = await self.failure(answer)
        self.assertEqual((failure.code, failure.reason, failure.action), ("UNAVAILABLE", "STARTING", Action.RESUME))

    async def test_list_that_cannot_be_read(self) -> None:
        async def watch(_: Any) -> AsyncIterator[bytes]:
            yield b""

        unknown = watch_pb2.WatchEvent()
        unknown.type = 99  # type: ignore[assignment]
        page = watch_pb2.ListObjectsResponse(objects=[unknown]).SerializeToString()
        async with scripted(watch, page) as address, watchgate.connect(address) as client:
            with self.assertRaisesRegex(WatchgateError, "an object of the unknown type 99"):
                await client.list("pods", timeout=60)
        async with scripted(watch, DAMAGED) as address, watchgate.connect(address) as client:
            message = ""
            for timeout in (1, 4, 16, 60):
                with self.assertRaises(WatchgateError) as raised:
                    await client.list("pods", timeout=timeout)
                message = str(raised.exception)
                if "the answer cannot be read" in message:
                    break  # else not even the first answer came in time, on a busy machine
            self.assertIn("the answer cannot be read", message)


if __name__ == "__main__":
    unittest.main()
