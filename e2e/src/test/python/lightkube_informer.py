"""Prints what lightkube lists and watches, as lines of JSON. Lists again after an error."""

import sys
import time

import httpx2
import lightkube
from lightkube.resources.core_v1 import ConfigMap

from informer_program import Objects, arguments


def follow(client, args, objects):
    key, value = args.selector.split("=")
    selected = {"namespace": args.namespace, "labels": {key: value}}
    listed = client.list(ConfigMap, **selected)
    objects.replace([item.to_dict() for item in listed])
    for event, item in client.watch(ConfigMap, resource_version=listed.resourceVersion, **selected):
        objects.apply({"type": event, "raw_object": item.to_dict()})


def main():
    args = arguments()
    client = lightkube.Client(config=lightkube.KubeConfig.from_file(args.kubeconfig))
    objects = Objects()
    while True:
        try:
            follow(client, args, objects)
        except httpx2.HTTPError as error:
            print(error, file=sys.stderr)
            time.sleep(1)


main()
