"""Tests of Client.reflect."""

from __future__ import annotations

import asyncio
import contextlib
import json
import unittest
from collections.abc import AsyncIterator
from typing import Any

import grpc

import watchgate
from gateway_case import GatewayCase
from scripted import OPENED, SNAPSHOT, scripted
from watchgate import Change, ChangeType, Difference, Key, WatchgateError
from watchgate._store import _body

WEB = Key("shop", "web")


class StoreTest(GatewayCase):
    async def test_store_follows(self) -> None:
        self.gateway.put("shop", "web", {"node": 1})
        async with self.client.reflect("pods", decode=lambda body: f"node {json.loads(body)['node']}") as store:
            await store.synced()
            self.assertEqual(dict(store), {WEB: "node 1"})
            self.assertEqual(store["shop", "web"], "node 1")
            async with contextlib.aclosing(store.changes()) as changes:
                self.assertEqual(await anext(changes), Difference(WEB, None, "node 1"))
                self.gateway.put("shop", "web", {"node": 2})
                self.assertEqual(await anext(changes), Difference(WEB, "node 1", "node 2"))
                self.gateway.delete("shop", "web")
                self.assertEqual(await anext(changes), Difference(WEB, "node 2", None))
            self.assertEqual(len(store), 0)
            self.assertIsNone(store.failure)
        await self.until(lambda: self.gateway.open_streams == 0)

    async def test_slow_reader_gets_one_difference_for_each_object(self) -> None:
        async with self.client.reflect("pods") as store:
            await store.synced()
            async with contextlib.aclosing(store.changes()) as changes:
                self.gateway.put("shop", "web", [0])
                self.assertEqual(await anext(changes), Difference(WEB, None, [0]))
                for value in range(1, 100):
                    self.gateway.put("shop", "web", [value])
                self.gateway.put("shop", "brief", [1])
                self.gateway.delete("shop", "brief")
                await store.wait_at_least(self.gateway.put("shop", "last", [1]))
                self.assertEqual(await anext(changes), Difference(WEB, [0], [99]))
                self.assertEqual(await anext(changes), Difference(Key("shop", "last"), None, [1]))

    async def test_objects_that_were_created_and_deleted_wait_for_no_reader(self) -> None:
        async with self.client.reflect("pods") as store:
            await store.synced()
            async with contextlib.aclosing(store.changes()) as changes:
                self.gateway.put("shop", "web", [0])
                await anext(changes)
                for number in range(10_000):
                    key = Key("shop", f"brief-{number}")
                    kinds = ChangeType.ADDED, ChangeType.MODIFIED, ChangeType.DELETED
                    store._apply(Change(kind, key, "u", "2", b"[1]") for kind in kinds)
                self.assertEqual([len(pending) for pending in store._pending], [0])
                await store.wait_at_least(self.gateway.delete("shop", "web"))
                self.assertEqual(await anext(changes), Difference(WEB, [0], None))

    async def test_failure_is_gone_once_a_stream_is_open(self) -> None:
        streams = 0
        is_next = asyncio.Event()

        async def watch(context: Any) -> AsyncIterator[bytes]:
            nonlocal streams
            streams += 1
            if streams == 1:
                for response in SNAPSHOT:
                    yield response
                await is_next.wait()
                is_next.clear()
                await context.abort(grpc.StatusCode.UNAVAILABLE, "the connection was cut")
            await is_next.wait()
            yield OPENED
            await asyncio.Event().wait()

        async with scripted(watch) as address, watchgate.connect(address) as client:
            async with client.reflect("pods") as store:
                await store.synced()
                is_next.set()
                await self.until(lambda: store.failure is not None and streams == 2)
                is_next.set()
                await self.until(lambda: store.failure is None)

    async def test_wait_at_least_waits_for_a_version(self) -> None:
        async with self.client.reflect("pods") as store:
            await store.synced()
            version = self.gateway.put("shop", "web", [1])
            self.assertNotIn(WEB, store)
            await store.wait_at_least(version)
            self.assertIn(WEB, store)
            self.assertEqual(store.resource_version, version)

    async def test_where_finds_by_indexes(self) -> None:
        indexes = {"node": lambda pod: [pod["node"]], "app": lambda pod: pod["apps"]}
        async with self.client.reflect("pods", indexes=indexes) as store:
            self.gateway.put("shop", "a", {"node": "n1", "apps": ["x", "y"]})
            await store.wait_at_least(self.gateway.put("shop", "b", {"node": "n1", "apps": ["x"]}))
            self.assertEqual(len(store.where(node="n1", app="x")), 2)
            self.assertEqual(store.where(node="n1", app="y"), [store["shop", "a"]])
            store["shop", "a"]["node"] = "of the program"
            self.gateway.put("shop", "a", {"node": "n2", "apps": []})
            await store.wait_at_least(self.gateway.delete("shop", "b"))
            self.assertEqual((store.where(node="n1"), store.where(app="x")), ([], []))
            self.assertEqual(store.where(node="n2"), [store["shop", "a"]])
            self.assertEqual(store.where(), [store["shop", "a"]])
            with self.assertRaisesRegex(ValueError, "has no index zone"):
                store.where(zone="z")

    async def test_new_snapshot_replaces_the_state(self) -> None:
        for name in ("kept", "gone"):
            self.gateway.put("shop", name, [1])
        async with self.client.reflect("pods") as store:
            await store.synced()
            kept = store["shop", "kept"]
            self.gateway.cut()
            self.gateway.delete("shop", "gone")
            version = self.gateway.put("shop", "new", [1])
            self.gateway.expire_tokens()
            await store.wait_at_least(version)
            self.assertEqual(set(store), {("shop", "kept"), ("shop", "new")})
            self.assertIs(store["shop", "kept"], kept)

    async def test_stop_is_raised_and_state_is_kept(self) -> None:
        self.gateway.put("shop", "web", [1])
        async with self.client.reflect("pods") as store:
            await store.synced()
            reading = asyncio.ensure_future(self.drain(store))
            self.gateway.refuse("ACCESS_CHANGED")
            with self.assertRaisesRegex(WatchgateError, "ACCESS_CHANGED"):
                await reading
            with self.assertRaisesRegex(WatchgateError, "ACCESS_CHANGED"):
                await store.wait_at_least("99")
            self.assertEqual(store["shop", "web"], [1])
            assert isinstance(store.error, WatchgateError)
            self.assertEqual(store.failure, store.error.failure)

    async def test_exception_of_decode_ends_the_store(self) -> None:
        async with self.client.reflect("pods", decode=lambda body: int(body)) as store:
            await store.synced()
            self.gateway.put("shop", "web", "no number")
            with self.assertRaisesRegex(ValueError, "no number"):
                await store.wait_at_least("1")
            self.assertIsInstance(store.error, ValueError)
        await self.until(lambda: self.gateway.open_streams == 0)

    async def test_end_of_the_context_ends_the_waits(self) -> None:
        async with self.client.reflect("pods") as store:
            await store.synced()
            waits = [asyncio.ensure_future(store.wait_at_least("99")), asyncio.ensure_future(self.drain(store))]
            await asyncio.sleep(0)
        for wait in waits:
            with self.assertRaisesRegex(WatchgateError, "the store is closed"):
                await asyncio.wait_for(wait, 60)

    async def drain(self, store: Any) -> None:
        async for _ in store.changes():
            pass


class BodyTest(unittest.TestCase):
    def test_object_without_body_has_what_identifies_it(self) -> None:
        change = Change(ChangeType.ADDED, Key("", "node-1"), "u", "7", None)
        self.assertEqual(json.loads(_body(change)), {"metadata": {"name": "node-1", "uid": "u", "resourceVersion": "7"}})


if __name__ == "__main__":
    unittest.main()
