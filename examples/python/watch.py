"""A complete client of Watchgate: keeps the objects that match, and prints their changes, one JSON value a line.

    pip install -r requirements.txt
    python -m grpc_tools.protoc -I ../../proto/src/main/protobuf --python_out=. --grpc_python_out=. watchgate/v1/watch.proto
    python watch.py pods --server 127.0.0.1:7443 -l app=web

With --position-file it goes on, when started again, where it ended.
"""

import argparse
import asyncio
import contextlib
import json
import os
import random
import signal
import sys
import time

import grpc
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from watchgate.v1 import watch_pb2 as pb
from watchgate.v1 import watch_pb2_grpc

CHANNEL = {
    "grpc.keepalive_time_ms": 30_000,
    "grpc.keepalive_timeout_ms": 10_000,
    "grpc.http2.max_pings_without_data": 0,  # no limit
    "grpc.max_reconnect_backoff_ms": 5_000,  # run() waits by itself
    "grpc.enable_retries": 0,  # run() resumes at the right position
}

# Codes of temporary states. Any other code without a reason may be the answer of a server that is not a gateway.
PASSING = {
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.CANCELLED,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.DEADLINE_EXCEEDED,
}

KNOWN = {pb.EVENT_TYPE_ADDED, pb.EVENT_TYPE_MODIFIED, pb.EVENT_TYPE_DELETED}


class NoGateway(Exception):
    """Failure: only servers that are not a gateway have answered, for too long."""


class Watch:
    """Objects that follow the server's: `objects` has the state at `token`. `on_change` is called for each change."""

    def __init__(self, stubs, selection, on_change, token=b"", first_answer_timeout=300.0, headers=lambda: ()):
        self.stubs = stubs  # one for each replica
        self.stream = -1  # number of the stream: each is opened at the next replica
        self.selection = selection
        self.on_change = on_change
        self.objects = {}  # by namespace, name and uid: an object that is created again is another one
        self.token = token
        self.failures = 0
        self.silence = 90.0  # seconds: three bookmark intervals
        self.headers = headers  # asked for with each stream
        self.first_answer_timeout = first_answer_timeout  # seconds; see NoGateway
        self.answered = False  # by a gateway, ever
        self.wrong_since = None  # time of the first answer that may be of a wrong address

    async def run(self):
        """Follows without end, over the end of any stream; raises the error that says STOP, or NoGateway."""
        while True:
            try:
                # A random part in each wait, so that not all clients return at once.
                pause = random.uniform(0, await self.follow())
            except grpc.RpcError as error:
                action = action_of(error)
                self.on_change("ERROR", None, dict(describe(error), action=action))
                if action == "STOP":
                    raise
                self.give_up(error)
                if action == "RESTART":
                    self.token = b""
                self.failures += 1
                pause = retry_delay(error) + random.uniform(0, min(30.0, 0.25 * 2 ** min(self.failures, 7)))
            await asyncio.sleep(pause)

    def give_up(self, error):
        """Raises NoGateway if no gateway ever answered, and something else did for too long."""
        self.answered = self.answered or trailer(error, "watchgate-reason") is not None
        if self.answered or error.code() in PASSING:
            return
        now = time.monotonic()
        self.wrong_since = self.wrong_since or now
        if now - self.wrong_since >= self.first_answer_timeout:
            raise NoGateway(
                f"no Watchgate has answered there for {now - self.wrong_since:.0f} s. What answers is a proxy or load balancer in between, "
                f"or another server: {error.code().name}, {error.details()}. Check host and port, and that everything in between "
                "passes on gRPC over HTTP/2"
            ) from error

    async def follow(self):
        """One stream, to its end. Returns the seconds within which to open the next."""
        request = pb.ListAndWatchRequest(selection=self.selection, client_name="watch.py", resume_token=self.token)
        if len(self.stubs) > 1:
            request.features.append("replicas")
        self.stream += 1
        call = self.stubs[self.stream % len(self.stubs)].ListAndWatch(request, metadata=self.headers())
        held = []  # not applied before a token comes: the state and the token never differ
        snapshot = False
        try:
            while True:
                # Before Python 3.12, wait_for may swallow the cancellation of Ctrl-C.
                read = asyncio.ensure_future(call.read())
                done, _ = await asyncio.wait({read}, timeout=self.silence)
                if not done:
                    raise asyncio.TimeoutError
                response = read.result()
                if response is grpc.aio.EOF:
                    raise failure(grpc.StatusCode.UNKNOWN, "the stream ended without an error, which a gateway never does")
                signal = response.WhichOneof("signal")
                if signal == "opened":
                    self.answered = True
                    interval = response.opened.delivery.bookmark_interval.ToTimedelta().total_seconds()
                    self.silence = 3 * (interval or 30.0)
                elif signal == "snapshot_started":
                    held, snapshot = [], True
                if any(event.type not in KNOWN or event.HasField("patch") for event in response.events):
                    # With the same token it would come again. Patches come only if they are asked for.
                    raise failure(grpc.StatusCode.INTERNAL, "an event cannot be applied", "RESTART")
                held.extend(response.events)
                if response.resume_token:
                    if snapshot:
                        self.replace(held)
                    else:
                        self.apply(held)
                    held, snapshot = [], False
                    self.token = response.resume_token
                    self.failures = 0
                    if signal in ("synced", "resumed"):
                        self.on_change(signal.upper(), None, {"objects": len(self.objects)})
                if signal == "going_away":
                    return response.going_away.reconnect_within.ToTimedelta().total_seconds()
        except asyncio.TimeoutError as error:
            raise failure(grpc.StatusCode.DEADLINE_EXCEEDED, f"silent for {self.silence:g} s") from error
        finally:
            call.cancel()

    def apply(self, events):
        for event in events:
            if event.type == pb.EVENT_TYPE_DELETED:
                self.objects.pop(key_of(event), None)
            else:
                self.objects[key_of(event)] = event
            what = pb.EventType.Name(event.type).removeprefix("EVENT_TYPE_")
            self.on_change(what, key_of(event), json_of(event))

    def replace(self, snapshot):
        """Replaces the state by the snapshot; reports the differences."""
        before, self.objects = self.objects, {key_of(event): event for event in snapshot}
        for key in before.keys() - self.objects.keys():
            self.on_change("DELETED", key, None)
        for key, event in self.objects.items():
            if key not in before:
                self.on_change("ADDED", key, json_of(event))
            elif not is_same(before[key], event):
                self.on_change("MODIFIED", key, json_of(event))


def key_of(event):
    return event.key.namespace, event.key.name, event.key.uid


def json_of(event):
    return json.loads(event.object) if event.object else None


def is_same(one, other):
    # The version alone suffices within one timeline; an object too large to be sent has nothing else.
    return (one.resource_version, one.object) == (other.resource_version, other.object)


def failure(code, message, action="RESUME"):
    """An error of this side, which is treated like one of the transport."""
    return grpc.aio.AioRpcError(code, grpc.aio.Metadata(), grpc.aio.Metadata(("watchgate-action", action)), message)


def action_of(error):
    # An error that is not a gateway's says nothing about the request.
    return trailer(error, "watchgate-action") or "RESUME"


def describe(error):
    return {"status": error.code().name, "reason": trailer(error, "watchgate-reason"), "message": error.details()}


def trailer(error, name):
    return dict(error.trailing_metadata() or ()).get(name)


def retry_delay(error):
    """The seconds that the server requests to wait, in a google.rpc.RetryInfo."""
    try:
        status = rpc_status.from_call(error)
    except (ValueError, DecodeError):  # a proxy in between changed the message
        return 0.0
    for detail in status.details if status else ():
        info = error_details_pb2.RetryInfo()
        if detail.Unpack(info):
            return info.retry_delay.ToTimedelta().total_seconds()
    return 0.0


def show(what, key, value):
    print(json.dumps({"what": what, "key": key and "/".join(key[:2]), "value": value}), flush=True)


def channel(options, server):
    if not options.tls_ca:
        return grpc.aio.insecure_channel(server, options=CHANNEL.items())
    with open(options.tls_ca, "rb") as file:
        credentials = grpc.ssl_channel_credentials(file.read())
    name = {"grpc.ssl_target_name_override": options.tls_server_name} if options.tls_server_name else {}
    return grpc.aio.secure_channel(server, credentials, options=(CHANNEL | name).items())


def bearer_token(path):
    """Headers with the token of a file. Without one, as while it is being replaced, no stream is tried."""

    def headers():
        try:
            with open(path) as file:
                token = file.read().strip()
        except OSError as error:
            raise failure(grpc.StatusCode.UNAVAILABLE, f"there is no token to send: {error}") from error
        if not token:
            raise failure(grpc.StatusCode.UNAVAILABLE, f"there is no token to send: {path} holds no token")
        return (("authorization", f"Bearer {token}"),)

    return headers


async def follow(options):
    selection = pb.Selection(
        resource_type=pb.ResourceType(resource=options.resource),
        namespaces=options.namespace,
        label_selector=options.selector,
        field_selector=options.field_selector,
    )
    token = b""
    if options.position_file and os.path.exists(options.position_file):
        with open(options.position_file, "rb") as file:
            token = file.read()
    for ending in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(ending, asyncio.current_task().cancel)
    headers = bearer_token(options.bearer_token_file) if options.bearer_token_file else lambda: ()
    async with contextlib.AsyncExitStack() as connections:
        channels = [channel(options, server) for server in options.server or ["127.0.0.1:7443"]]
        stubs = [watch_pb2_grpc.WatchServiceStub(await connections.enter_async_context(it)) for it in channels]
        watch = Watch(stubs, selection, show, token, options.first_answer_timeout, headers)
        try:
            await watch.run()
        finally:
            if options.position_file:
                with open(options.position_file, "wb") as file:
                    file.write(watch.token)


def main():
    options = argparse.ArgumentParser(description="Watches objects through Watchgate.")
    options.add_argument("resource", help="a plural, kind or short name: pods")
    options.add_argument("--server", action="append", help="HOST:PORT; one for each replica (default 127.0.0.1:7443)")
    options.add_argument("-n", "--namespace", action="append", default=[], help="may be repeated; default: all")
    options.add_argument("-l", "--selector", default="", help="label selector: app in (web,api)")
    options.add_argument("--field-selector", default="", help="field selector: spec.nodeName=node-7")
    options.add_argument("--position-file", help="where to keep the position")
    options.add_argument("--tls-ca", metavar="FILE", help="TLS, by the CAs in this PEM file (default plaintext)")
    options.add_argument("--tls-server-name", metavar="NAME", help="that the certificate must have (default: the host)")
    options.add_argument("--bearer-token-file", metavar="FILE", help="send the token in it; read for each stream")
    options.add_argument(
        "--first-answer-timeout",
        type=float,
        default=300.0,
        metavar="SECONDS",
        help="how long to try where a proxy or another server answers, and no gateway ever did (default %(default)g)",
    )
    options.add_argument("--watches", type=int, default=1, metavar="NUMBER", help="watch again after STOP, until that many have ended")
    parsed = options.parse_args()
    for _ in range(parsed.watches):
        ended = run(parsed)
        if ended is None:
            return 0
        print(f"watch.py: {ended}", file=sys.stderr)
    return 1


def run(options):
    """Runs one watch; returns why it has ended, None if a signal or the reader of stdout has ended it."""
    try:
        asyncio.run(follow(options))
    except asyncio.CancelledError:
        return None
    except grpc.RpcError as error:
        return str(error.details())
    except NoGateway as error:
        return str(error)
    except BrokenPipeError:  # the reader of stdout has gone; Python would report it again at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return None
    except OSError as error:
        return str(error)


if __name__ == "__main__":
    sys.exit(main())
