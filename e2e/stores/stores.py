"""Prints each state of several stores of the Python package, for a judge: README.md has its lines."""

import asyncio
import json
import signal
import sys
from typing import Any

import watchgate


async def follow(client: watchgate.Client, number: int, wanted: dict[str, Any]) -> None:
    """Prints the differences between the states of a store, each at its version."""
    selection = {name: wanted[name] for name in ("group", "namespaces", "labels", "fields")}
    before: dict[watchgate.Key, bytes] = {}
    try:
        async with client.reflect(wanted["resource"], decode=bytes, view=watchgate.View(wanted["view"]), **selection) as store:
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
    except watchgate.WatchgateError as error:
        print(json.dumps({"store": number, "error": str(error)}), flush=True)


async def main() -> None:
    request = json.loads(sys.argv[1])
    async with watchgate.connect(*request["servers"]) as client:
        followers = asyncio.gather(*(follow(client, number, wanted) for number, wanted in enumerate(request["stores"])))
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, followers.cancel)
        try:
            await followers
        except asyncio.CancelledError:
            pass


asyncio.run(main())
