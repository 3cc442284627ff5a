"""Tests of Client.watch and Client.updates."""

from __future__ import annotations

import asyncio
import contextlib
import random
import sys
import unittest
from collections.abc import AsyncIterator

import watchgate
from gateway_case import GatewayCase, line
from scripted import SNAPSHOT, scripted
from watchgate import WatchgateError
from watchgate.v1 import watch_pb2


class WatchTest(GatewayCase):
    async def test_objects_then_changes(self) -> None:
        self.gateway.put("shop", "web", {"a": 9007199254740993})
        async with contextlib.aclosing(self.client.watch("pods")) as changes:
            first = await anext(changes)
            self.assertEqual(line(first), "ADDED shop/web")
            self.assertEqual(first.object, {"a": 9007199254740993})
            self.gateway.put("shop", "web", 2)
            self.assertEqual(line(await anext(changes)), "MODIFIED shop/web")
            self.gateway.delete("shop", "web")
            deleted = await anext(changes)
            self.assertEqual((line(deleted), deleted.object), ("DELETED shop/web", 2))

    async def test_broken_stream_resumes_without_repeating(self) -> None:
        self.gateway.put("shop", "web", 1)
        async with contextlib.aclosing(self.client.watch("pods")) as changes:
            await anext(changes)
            self.gateway.cut()
            self.gateway.put("shop", "api", 2)
            self.assertEqual(line(await anext(changes)), "ADDED shop/api")

    async def test_change_of_unknown_type_is_replaced_by_a_snapshot(self) -> None:
        self.gateway.put("shop", "web", 1)
        async with contextlib.aclosing(self.client.watch("pods")) as changes:
            await anext(changes)
            # Of a later version of the contract; the fake gateway makes none.
            self.gateway._record(99, watch_pb2.ObjectKey(namespace="shop", name="web"), b"1")
            self.gateway.put("shop", "api", 2)
            self.assertEqual(line(await asyncio.wait_for(anext(changes), 60)), "ADDED shop/api")

    async def test_net_effect_is_named_and_ends_with_its_changes(self) -> None:
        async def watch(_: object) -> AsyncIterator[bytes]:
            for response in SNAPSHOT:
                yield response
            started = watch_pb2.NetEffectStarted(reason=watch_pb2.NET_EFFECT_REASON_LAG, events_replaced=7)
            yield watch_pb2.ListAndWatchResponse(net_effect_started=started).SerializeToString()
            event = watch_pb2.WatchEvent(type=watch_pb2.EVENT_TYPE_ADDED, object=b"1")
            yield watch_pb2.ListAndWatchResponse(events=[event]).SerializeToString()
            yield watch_pb2.ListAndWatchResponse(resource_version="9", resume_token=b"t9").SerializeToString()
            later = watch_pb2.NetEffectStarted(reason=99)  # type: ignore[arg-type]  # of a later version of the contract
            yield watch_pb2.ListAndWatchResponse(net_effect_started=later).SerializeToString()
            yield watch_pb2.ListAndWatchResponse(resource_version="10", resume_token=b"t10").SerializeToString()
            yield watch_pb2.ListAndWatchResponse(events=[event], resource_version="11", resume_token=b"t11").SerializeToString()

        async with scripted(watch) as address, watchgate.connect(address) as client:
            async with contextlib.aclosing(client.updates("pods")) as updates:
                await anext(updates)
                found = [await asyncio.wait_for(anext(updates), 60) for _ in range(3)]
        self.assertTrue(all(isinstance(update, watchgate.Changes) for update in found))
        self.assertEqual([len(update.changes) for update in found], [1, 0, 1])
        self.assertEqual(
            [update.net_effect for update in found], [watchgate.NetEffect("LAG", 7), watchgate.NetEffect("99", 0), None]
        )

    async def test_patch_that_was_not_requested_is_replaced_by_a_snapshot(self) -> None:
        async def watch(_: object) -> AsyncIterator[bytes]:
            for response in SNAPSHOT:
                yield response
            event = watch_pb2.WatchEvent(type=watch_pb2.EVENT_TYPE_MODIFIED, patch=watch_pb2.ObjectPatch())
            yield watch_pb2.ListAndWatchResponse(events=[event], resume_token=b"t2").SerializeToString()

        async with scripted(watch) as address, watchgate.connect(address) as client:
            async with contextlib.aclosing(client.updates("pods")) as updates:
                kinds = [type(await asyncio.wait_for(anext(updates), 60)) for _ in range(3)]
        self.assertEqual(kinds, [watchgate.Snapshot, watchgate.Interrupted, watchgate.Snapshot])

    async def test_new_snapshot_yields_differences(self) -> None:
        for name in ("kept", "changed", "gone", "again"):
            self.gateway.put("shop", name, 1)
        async with contextlib.aclosing(self.client.watch("pods")) as changes:
            for _ in range(4):
                await anext(changes)
            self.gateway.cut()
            self.gateway.delete("shop", "gone")
            self.gateway.delete("shop", "again")
            self.gateway.put("shop", "changed", 2)
            self.gateway.put("shop", "again", 1)
            self.gateway.put("shop", "new", 3)
            self.gateway.expire_tokens()
            lines = [line(await anext(changes)) for _ in range(5)]
            self.assertEqual(set(lines[:2]), {"DELETED shop/gone", "DELETED shop/again"})
            self.assertEqual(set(lines[2:]), {"MODIFIED shop/changed", "ADDED shop/again", "ADDED shop/new"})

    async def test_expired_token_of_the_present_state_gets_a_snapshot(self) -> None:
        self.gateway.put("shop", "web", 1)
        async with contextlib.aclosing(self.client.updates("pods")) as updates:
            self.assertIsInstance(await anext(updates), watchgate.Snapshot)
            self.gateway.expire_tokens()
            self.gateway.cut()
            kinds = [type(await asyncio.wait_for(anext(updates), 60)) for _ in range(2)]
            self.assertEqual(kinds, [watchgate.Interrupted, watchgate.Snapshot])
            self.gateway.put("shop", "web", 2)
            self.assertIsInstance(await asyncio.wait_for(anext(updates), 60), watchgate.Changes)
            self.gateway.cut()
            kinds = [type(await asyncio.wait_for(anext(updates), 60)) for _ in range(2)]
            self.assertEqual(kinds, [watchgate.Interrupted, watchgate.Resumed])

    async def test_namespaces_are_selected(self) -> None:
        self.gateway.put("shop", "web", 1)
        self.gateway.put("other", "web", 1)
        self.assertEqual([line(it) for it in await self.client.list("pods", namespaces=["shop"])], ["ADDED shop/web"])

    async def test_stop_raises(self) -> None:
        changes = self.client.watch("pods", labels="app=web")
        with self.assertRaises(WatchgateError) as raised:
            await anext(changes)
        failure = raised.exception.failure
        self.assertEqual((failure.code, failure.reason), ("INVALID_ARGUMENT", "SELECTOR_INVALID"))
        self.assertIs(failure.action, watchgate.Action.STOP)

    async def test_closed_client_ends_watches(self) -> None:
        self.gateway.put("shop", "web", 1)
        changes = self.client.watch("pods")
        await anext(changes)
        waiting = asyncio.ensure_future(anext(changes))
        await asyncio.sleep(0)
        await self.client.close()
        with self.assertRaisesRegex(WatchgateError, "the client is closed"):
            await waiting
        with self.assertRaisesRegex(WatchgateError, "the client is closed"):
            await anext(self.client.watch("pods"))
        with self.assertRaisesRegex(WatchgateError, "the client is closed"):
            await self.client.list("pods")

    async def test_updates_resume_after_a_token(self) -> None:
        self.gateway.put("shop", "web", 1)
        async with contextlib.aclosing(self.client.updates("pods")) as updates:
            match await anext(updates):
                case watchgate.Snapshot((change,), version, token):
                    self.assertEqual((line(change), version), ("ADDED shop/web", "1"))
                case other:
                    self.fail(repr(other))
        self.gateway.put("shop", "api", 1)
        async with contextlib.aclosing(self.client.updates("pods", token=token)) as updates:
            self.assertEqual(await anext(updates), watchgate.Resumed("1", token))
            update = await anext(updates)
            assert isinstance(update, watchgate.Changes)
            self.assertEqual([line(it) for it in update.changes], ["ADDED shop/api"])

    async def test_broken_stream_resumes_with_its_token(self) -> None:
        async with contextlib.aclosing(self.client.updates("pods")) as updates:
            kinds = [type(await anext(updates)).__name__]
            self.gateway.cut()
            kinds += [type(await anext(updates)).__name__ for _ in range(2)]
        self.assertEqual(kinds, ["Snapshot", "Interrupted", "Resumed"])

    async def test_break_and_close_end_the_stream(self) -> None:
        self.gateway.put("shop", "web", 1)
        async for _ in self.client.watch("pods"):
            break
        await self.until(lambda: self.gateway.open_streams == 0)

    async def test_cancellation_at_any_moment_ends_the_stream(self) -> None:
        seed = random.randrange(2**32)
        print("seed", seed, file=sys.stderr)
        moments = random.Random(seed)
        self.gateway.put("shop", "web", 1)

        async def watch() -> None:
            async for _ in self.client.watch("pods"):
                await asyncio.sleep(0.002)

        for _ in range(300):
            task = asyncio.create_task(watch())
            await asyncio.sleep(moments.random() * 0.006)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
        await self.until(lambda: self.gateway.open_streams == 0)
        await self.until(lambda: not [it for it in asyncio.all_tasks() if "_response" in repr(it) or "read" in repr(it)])


class ListTest(GatewayCase):
    async def test_pages_are_one_list(self) -> None:
        names = [f"pod-{number}" for number in range(250)]
        for name in names:
            self.gateway.put("shop", name, 1)
        self.assertEqual([change.key.name for change in await self.client.list("pods")], names)

    async def test_types(self) -> None:
        (pods,) = await self.client.types()
        self.assertEqual((pods.resource, pods.kind, pods.short_names), ("pods", "Pod", ("po",)))
        self.assertTrue(pods.is_namespaced and pods.is_synced)

    async def test_refusal_raises(self) -> None:
        self.gateway.refuse("ACCESS_DENIED")
        with self.assertRaisesRegex(WatchgateError, "refused with ACCESS_DENIED"):
            await asyncio.wait_for(self.client.list("pods", timeout=300), 60)

    async def test_temporary_error_is_tried_again_until_the_timeout(self) -> None:
        self.gateway.refuse("STARTING", "RESUME")
        reason = None
        for timeout in (1, 4, 16, 60):
            with self.assertRaises(WatchgateError) as raised:
                await self.client.list("pods", timeout=timeout)
            reason = raised.exception.failure.reason
            if reason == "STARTING":
                break  # else not even the first answer came in time, on a busy machine
        self.assertEqual(reason, "STARTING")
        listed = asyncio.ensure_future(self.client.list("pods"))
        await asyncio.sleep(0)
        self.gateway.refuse("")
        self.assertEqual(await listed, ())


if __name__ == "__main__":
    unittest.main()
