"""Arguments and output of the programs beside this module."""

import argparse
import json


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kubeconfig", required=True)
    parser.add_argument("--namespace", required=True)
    parser.add_argument("--selector", required=True)
    return parser.parse_args()


def tell(what, **more):
    print(json.dumps({"what": what, **more}), flush=True)


class Objects:
    """Objects by name, whose changes are printed. Neither client has a map that stays right over a failed watch."""

    def __init__(self):
        self.by_name = None

    def replace(self, listed):
        """Takes the state of a list; after the first one, prints the differences."""
        first = self.by_name is None
        if first:
            self.by_name = {}
        names = {item["metadata"]["name"] for item in listed}
        for name in [name for name in self.by_name if name not in names]:
            tell("delete", object=self.by_name.pop(name))
        for item in listed:
            self.put(item)
        if first:
            tell("synced")

    def apply(self, event):
        """Takes an event of a watch."""
        item = event["raw_object"]
        if event["type"] == "DELETED":
            self.by_name.pop(item["metadata"]["name"], None)
            tell("delete", object=item)
        else:
            self.put(item)

    def put(self, item):
        name = item["metadata"]["name"]
        earlier = self.by_name.get(name)
        self.by_name[name] = item
        if earlier is None:
            tell("add", object=item)
        elif earlier["metadata"]["resourceVersion"] != item["metadata"]["resourceVersion"]:
            tell("update", object=item)
