"""A whole client of Watchgate: keeps the objects that match, and prints what happens to them, one JSON value a line.

    pip install -r requirements.txt
    python -m grpc_tools.protoc -I ../../proto/src/main/protobuf --python_out=. --grpc_python_out=. watchgate/v1/watch.proto
    python watch.py --server 127.0.0.1:7443 pods -l app=web

With --token-file it goes on, when started again, where it ended.
"""

import argparse
import json
import os
import random
import signal
import sys
import time

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from watchgate.v1 import watch_pb2 as pb
from watchgate.v1 import watch_pb2_grpc

# What to do about errors that are not Watchgate's own: a proxy's, a library's.
RESUMABLE = {
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.CANCELLED,
    grpc.StatusCode.UNKNOWN,
    grpc.StatusCode.INTERNAL,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.DEADLINE_EXCEEDED,
}


class Watch:
    """Objects that follow the server's: `objects` has the state at `token`. `on_change` is called for each change."""

    def __init__(self, stub, selection, on_change, token=b""):
        self.stub = stub
        self.selection = selection
        self.on_change = on_change
        self.objects = {}  # by namespace, name and uid: an object created anew is another one
        self.token = token

    def run(self):
        """Follows for ever, over the end of any stream; raises the error that says STOP."""
        failures = 0
        while True:
            pause = 1.0
            try:
                request = pb.ListAndWatchRequest(selection=self.selection, client_name="watch.py")
                if self.token:
                    request.resume_token = self.token
                for response in self.responses(request):
                    failures = 0
                    if response.WhichOneof("signal") == "going_away":
                        pause = response.going_away.reconnect_within.ToTimedelta().total_seconds()
                        break
            except grpc.RpcError as error:
                failures += 1
                action = action_of(error)
                self.on_change("ERROR", None, dict(describe(error), action=action))
                if action == "STOP":
                    raise
                if action == "RESTART":
                    self.token = b""
                pause = min(30.0, 0.5 * 2**failures)
            time.sleep(random.uniform(0, pause))

    def responses(self, request):
        snapshot = None  # collected beside what is held; thrown away if the stream ends before it is complete
        group = None  # held back until a token comes
        call = self.stub.ListAndWatch(request)
        try:
            for response in call:
                for event in response.events:
                    if snapshot is not None:
                        snapshot[key_of(event)] = event
                    elif group is not None:
                        group.append(event)
                    else:
                        self.apply(event)
                signal = response.WhichOneof("signal")
                if signal == "snapshot_started":
                    snapshot, group = {}, None
                elif signal == "net_effect_started":
                    group = []
                elif signal == "synced":
                    self.replace(snapshot)
                    snapshot = None
                if response.resume_token:
                    for event in group or ():
                        self.apply(event)
                    group = None
                    self.token = response.resume_token
                    if signal in ("synced", "resumed"):
                        self.on_change(signal.upper(), None, {"objects": len(self.objects)})
                yield response
        finally:
            call.cancel()

    def apply(self, event):
        if event.type == pb.EVENT_TYPE_DELETED:
            self.objects.pop(key_of(event), None)
        else:
            self.objects[key_of(event)] = event.object
        what = pb.EventType.Name(event.type).removeprefix("EVENT_TYPE_")
        self.on_change(what, key_of(event), json_of(event))

    def replace(self, snapshot):
        for key in self.objects.keys() - snapshot.keys():
            self.on_change("DELETED", key, None)
        for key, event in snapshot.items():
            if self.objects.get(key) != event.object:
                self.on_change("MODIFIED" if key in self.objects else "ADDED", key, json_of(event))
        self.objects = {key: event.object for key, event in snapshot.items()}


def key_of(event):
    return event.key.namespace, event.key.name, event.key.uid


def json_of(event):
    return json.loads(event.object) if event.object else None


def action_of(error):
    trailers = dict(error.trailing_metadata() or ())
    return trailers.get("watchgate-action") or ("RESUME" if error.code() in RESUMABLE else "STOP")


def describe(error):
    """Status, text and reason; the reason stands in the details and, for clients that cannot read those, in a trailer."""
    told = {"status": error.code().name, "message": error.details()}
    trailers = dict(error.trailing_metadata() or ())
    told["trailer"] = trailers.get("watchgate-reason")
    status = rpc_status.from_call(error)
    for detail in status.details if status else ():
        info = error_details_pb2.ErrorInfo()
        if detail.Unpack(info):
            told["reason"], told["domain"] = info.reason, info.domain
    return told


def main():
    options = argparse.ArgumentParser(description="Watches objects through Watchgate.")
    options.add_argument("resource", help="a plural, kind or short name: pods")
    options.add_argument("--server", default="127.0.0.1:7443", help="HOST:PORT (default %(default)s)")
    options.add_argument("-n", "--namespace", action="append", default=[], help="may be repeated; default: all")
    options.add_argument("-l", "--selector", default="", help="label selector: app in (web,api)")
    options.add_argument("--field-selector", default="", help="field selector: spec.nodeName=node-7")
    options.add_argument("--token-file", help="where to keep the position")
    options = options.parse_args()
    selection = pb.Selection(
        resource_type=pb.ResourceType(resource=options.resource),
        namespaces=options.namespace,
        label_selector=options.selector,
        field_selector=options.field_selector,
    )
    token = b""
    if options.token_file and os.path.exists(options.token_file):
        with open(options.token_file, "rb") as file:
            token = file.read()

    signal.signal(signal.SIGTERM, signal.default_int_handler)

    def show(what, key, value):
        print(json.dumps({"what": what, "key": key and "/".join(key[:2]), "value": value}), flush=True)

    with grpc.insecure_channel(options.server) as channel:
        watch = Watch(watch_pb2_grpc.WatchServiceStub(channel), selection, show, token)
        try:
            watch.run()
        except KeyboardInterrupt:
            return 0
        except grpc.RpcError:
            return 1
        finally:
            if options.token_file:
                with open(options.token_file, "wb") as file:
                    file.write(watch.token)


if __name__ == "__main__":
    sys.exit(main())
