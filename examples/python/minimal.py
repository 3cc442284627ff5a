"""A minimal client of Watchgate: the objects that match, in a map that stays right over restarts, with TLS, a token and several servers."""

import argparse
import asyncio
import contextlib
import itertools
import json
import random
import signal
import sys

import grpc
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from watchgate.v1 import watch_pb2 as pb
from watchgate.v1 import watch_pb2_grpc

objects, token, failures = {}, b"", 0  # the objects by namespace and name, at the position of the token


def apply(events, is_snapshot):
    changed = {(event.key.namespace, event.key.name): event for event in events}
    for key in objects.keys() - changed.keys() if is_snapshot else ():
        show("DELETED", key, objects.pop(key))
    for event in events:
        key = (event.key.namespace, event.key.name)
        if event.type == pb.EVENT_TYPE_DELETED:
            show("DELETED", key, objects.pop(key, None))
        else:
            objects[key] = json.loads(event.object) if event.object else None  # omitted: present, but too large to be sent
            show(pb.EventType.Name(event.type).removeprefix("EVENT_TYPE_"), key, objects[key])


def show(what, key, value):
    print(json.dumps({"what": what, "key": "/".join(key), "value": value}), flush=True)


async def follow(options, channel):
    """Reads one stream until it ends. Returns the seconds within which to open the next."""
    global token, failures
    headers = [("authorization", "Bearer " + bearer_token(options))] if options.bearer_token_file else []
    selection = pb.Selection(
        resource_type=pb.ResourceType(resource=options.resource), namespaces=options.namespace, label_selector=options.selector
    )
    request = pb.ListAndWatchRequest(selection=selection, resume_token=token, features=["replicas"] if len(options.server) > 1 else [])
    call = watch_pb2_grpc.WatchServiceStub(channel).ListAndWatch(request, metadata=headers)
    held, is_snapshot, silence = [], False, 90.0
    while (response := await asyncio.wait_for(call.read(), silence)) is not grpc.aio.EOF:
        kind = response.WhichOneof("signal")
        if kind == "opened":
            silence = 3 * response.opened.delivery.bookmark_interval.ToTimedelta().total_seconds() or silence
        elif kind == "snapshot_started":
            held, is_snapshot = [], True
        held.extend(response.events)
        if response.resume_token:  # until it comes, the events are not complete
            apply(held, is_snapshot)
            held, is_snapshot, token, failures = [], False, response.resume_token, 0
            if kind in ("synced", "resumed"):
                show(kind.upper(), (), None)
        if kind == "going_away":
            return response.going_away.reconnect_within.ToTimedelta().total_seconds()
    raise EOFError("the stream ended without an error")


def bearer_token(options):
    text = open(options.bearer_token_file).read().strip()
    if not text:
        raise OSError(f"{options.bearer_token_file} is empty: it is being replaced")
    return text


def delay_after(error):
    """Returns the seconds to wait after a failure; exits if the gateway says STOP."""
    global token, failures
    failures += 1
    is_status = isinstance(error, grpc.aio.AioRpcError)
    print(f"minimal.py: {error.details() if is_status else repr(error)}", file=sys.stderr)
    delay = random.uniform(0, min(30.0, 0.25 * 2 ** min(failures, 7)))
    if is_status:
        action = dict(error.trailing_metadata() or ()).get("watchgate-action")
        if action == "STOP":
            sys.exit(1)
        token = b"" if action == "RESTART" else token
        info = error_details_pb2.RetryInfo()
        with contextlib.suppress(ValueError, DecodeError):  # a proxy in between changed the message
            status = rpc_status.from_call(error)
            if any(detail.Unpack(info) for detail in (status.details if status else ())):
                delay += info.retry_delay.ToTimedelta().total_seconds()
    return delay


async def main(options):
    arguments = [("grpc.keepalive_time_ms", 30_000), ("grpc.http2.max_pings_without_data", 0)]
    if options.tls_server_name:
        arguments.append(("grpc.ssl_target_name_override", options.tls_server_name))
    for server in itertools.cycle(options.server):  # the next one whenever a stream ends
        try:
            tls = grpc.ssl_channel_credentials(open(options.tls_ca, "rb").read()) if options.tls_ca else None
            channel = grpc.aio.secure_channel(server, tls, arguments) if tls else grpc.aio.insecure_channel(server, arguments)
            async with channel:
                delay = random.uniform(0, await follow(options, channel))
        except (grpc.aio.AioRpcError, asyncio.TimeoutError, EOFError, OSError) as error:
            delay = delay_after(error)
        await asyncio.sleep(delay)


parser = argparse.ArgumentParser(description="Keeps the objects that match, and prints their changes.")
parser.add_argument("resource")
parser.add_argument("--server", action="append", required=True, help="HOST:PORT; repeat it for several replicas")
parser.add_argument("-n", "--namespace", action="append", default=[])
parser.add_argument("-l", "--selector", default="")
parser.add_argument("--tls-ca", metavar="FILE")
parser.add_argument("--tls-server-name", metavar="NAME")
parser.add_argument("--bearer-token-file", metavar="FILE")
signal.signal(signal.SIGTERM, lambda *_: sys.exit())
asyncio.run(main(parser.parse_args()))
