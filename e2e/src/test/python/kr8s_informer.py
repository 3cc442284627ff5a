"""Prints what kr8s lists and watches, as lines of JSON. Lists again after an error.

kr8s returns no version of a list, and a watch without a version does not tell what was deleted since
the list. So the watch begins at the newest version of a listed object.
"""

import sys
import time

import httpx
import kr8s

from informer_program import Objects, arguments


def version(item):
    return int(item["metadata"]["resourceVersion"])


def follow(api, args, objects):
    selected = {"namespace": args.namespace, "label_selector": args.selector}
    listed = [item.to_dict() for item in api.get("configmaps", **selected)]
    objects.replace(listed)
    since = str(max(map(version, listed), default=0))
    for event, item in api.watch("configmaps", since=since, **selected):
        objects.apply({"type": event, "raw_object": item.to_dict()})


def main():
    args = arguments()
    api = kr8s.api(kubeconfig=args.kubeconfig)
    objects = Objects()
    while True:
        try:
            follow(api, args, objects)
        except (httpx.HTTPError, kr8s.ServerError) as error:
            print(error, file=sys.stderr)
            time.sleep(1)


main()
