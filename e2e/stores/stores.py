"""Prints the states and changes of several stores of the Python package, for a judge: README.md has its lines."""

import asyncio
import contextlib
import itertools
import json
import signal
import sys
from typing import Any

import watchgate


async def print_states(store: watchgate.Store[bytes], number: int) -> None:
    """Prints the differences between the states of a store, each at its version."""
    before: dict[watchgate.Key, bytes] = {}
    await store.synced()
    while True:
        version = store.resource_version
        objects = dict(store)
        state = {
            "store": number,
            "resourceVersion": version,
            "changed": [body.decode() for key, body in objects.items() if before.get(key) != body],
            "gone": ["/".join(key) for key in before if key not in objects],
        }
        print(json.dumps(state), flush=True)
        before = objects
        await store.wait_at_least(str(int(version) + 1))


async def print_changes(store: watchgate.Store[bytes], number: int, changes_of_reader: int) -> None:
    """Prints the changes of readers, one after the other: each is left after a number of changes to objects that it has."""
    for reader in itertools.count(1):
        print(json.dumps({"store": number, "reader": reader}), flush=True)
        left = changes_of_reader
        async with contextlib.aclosing(store.changes()) as changes:
            async for change in changes:
                old, new = (body and body.decode() for body in (change.old, change.new))
                print(json.dumps({"store": number, "reader": reader, "key": "/".join(change.key), "old": old, "new": new}), flush=True)
                left -= old is not None
                if left == 0:
                    break


async def follow(client: watchgate.Client, number: int, wanted: dict[str, Any], changes_of_reader: int) -> None:
    """Prints the states and the changes of a store."""
    selection = {name: wanted[name] for name in ("group", "namespaces", "labels", "fields")}
    try:
        async with client.reflect(wanted["resource"], decode=bytes, view=watchgate.View(wanted["view"]), **selection) as store:
            printers = [print_states(store, number)]
            if changes_of_reader:
                printers.append(print_changes(store, number, changes_of_reader))
            await asyncio.gather(*printers)
    except watchgate.WatchgateError as error:
        print(json.dumps({"store": number, "error": str(error)}), flush=True)


async def main() -> None:
    request = json.loads(sys.argv[1])
    async with watchgate.connect(*request["servers"]) as client:
        stores = enumerate(request["stores"])
        followers = asyncio.gather(*(follow(client, number, wanted, request["changesOfReader"]) for number, wanted in stores))
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, followers.cancel)
        try:
            await followers
        except asyncio.CancelledError:
            pass


asyncio.run(main())
