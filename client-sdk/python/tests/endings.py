"""Program that begins and ends many watches at a gateway: endings.py cancel|close COUNT SEED SERVER.

`cancel` cancels tasks that watch, at random moments; `close` opens clients and closes them. It prints what is left in the process, as JSON.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import os
import random
import sys
import time

import grpc

import watchgate


async def cancelled(count: int, moments: random.Random, server: str) -> int:
    """Returns the number of watches that had begun to yield: at least every second one."""
    began = 0

    async def watch(client: watchgate.Client, yields: asyncio.Event) -> None:
        nonlocal began
        async for _ in client.watch("configmaps"):
            began += not yields.is_set()
            yields.set()
            await asyncio.sleep(moments.random() * 0.002)

    async with watchgate.connect(server) as client:
        begin = time.monotonic()
        async with contextlib.aclosing(client.watch("configmaps")) as changes:
            await anext(changes)
        usual = max(0.01, time.monotonic() - begin)
        for number in range(count):
            yields = asyncio.Event()
            task = asyncio.create_task(watch(client, yields))
            if number % 2:
                # However busy the machine is, these watches have begun. The gateway closes a connection with too many early endings.
                await asyncio.wait([task, asyncio.ensure_future(yields.wait())], return_when=asyncio.FIRST_COMPLETED)
                await asyncio.sleep(moments.random() * 0.002)
            else:
                await asyncio.sleep(moments.random() * usual)
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
                raise AssertionError("the cancellation was swallowed")
    return began


async def closed(count: int, server: str) -> int:
    """Returns the number of watches that had begun to yield: all."""
    for _ in range(count):
        async with watchgate.connect(server) as client:
            async with contextlib.aclosing(client.watch("configmaps")) as changes:
                await anext(changes)
    return count


def files_open() -> int:
    """Returns the number of open files, 0 where Linux does not tell it."""
    return len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0


async def main(what: str, count: int, seed: int, server: str) -> None:
    # gRPC opens its own files on first use.
    await closed(1, server)
    files = files_open()
    began = await (cancelled(count, random.Random(seed), server) if what == "cancel" else closed(count, server))
    left = {"tasks": 1}
    deadline = time.monotonic() + 60
    while any(left.values()) and time.monotonic() < deadline:
        await asyncio.sleep(0.02)
        gc.collect()
        left = {
            "tasks": len(asyncio.all_tasks()) - 1,
            "channels": sum(isinstance(it, grpc.aio.Channel) for it in gc.get_objects()),
            "files": max(0, files_open() - files),
        }
    print(json.dumps({"began": began, **left}))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]))
