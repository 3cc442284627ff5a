"""Program of the conformance suite: `watchgate conform -- python -m watchgate.conformance`."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import logging
import signal
import sys
from typing import Any

import watchgate
from watchgate._state import State


def _show(what: str, key: str = "", value: Any = None) -> None:
    print(json.dumps({"what": what, "key": key, "value": value}), flush=True)


def _show_change(change: watchgate.Change) -> None:
    _show(change.type.value, f"{change.key.namespace}/{change.key.name}", change.object)


async def _follow(options: argparse.Namespace) -> None:
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    for ending in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(ending, task.cancel)
    state = State()
    client = watchgate.connect(
        *options.server,
        ca=options.tls_ca,
        certificate=options.tls_client_cert,
        key=options.tls_client_key,
        server_name=options.tls_server_name,
        token_file=options.bearer_token_file,
        start_at_first=True,
        first_answer_timeout=options.first_answer_timeout,
    )
    async with client:
        watch = client.updates(options.resource, namespaces=options.namespace, labels=options.selector)
        async with contextlib.aclosing(watch) as updates:
            async for update in updates:
                match update:
                    case watchgate.Snapshot():
                        for change in state.replace(update):
                            _show_change(change)
                        _show("SYNCED")
                    case watchgate.Changes():
                        for change in state.apply(update):
                            _show_change(change)
                    case watchgate.Resumed():
                        _show("RESUMED")
                    case watchgate.Interrupted(failure):
                        value = {
                            "status": failure.code,
                            "reason": failure.reason,
                            "message": failure.message,
                            "action": failure.action.value,
                        }
                        _show("ERROR", value=value)
                    case watchgate.Bookmark():
                        pass


def main() -> int:
    """Runs until SIGTERM; returns the exit code."""
    logging.disable(logging.WARNING)  # each failure is printed as ERROR
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("resource")
    options.add_argument("--server", action="append", required=True)
    options.add_argument("-n", "--namespace", action="append", default=[])
    options.add_argument("-l", "--selector", default="")
    options.add_argument("--tls-ca")
    options.add_argument("--tls-client-cert")
    options.add_argument("--tls-client-key")
    options.add_argument("--tls-server-name", default="")
    options.add_argument("--bearer-token-file")
    options.add_argument("--first-answer-timeout", type=float, default=300.0)
    options.add_argument("--watches", type=int, default=1)
    parsed = options.parse_args()
    for _ in range(parsed.watches):
        try:
            asyncio.run(_follow(parsed))
        except asyncio.CancelledError:
            return 0
        except watchgate.WatchgateError as ended:
            print(f"watchgate: {ended}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
