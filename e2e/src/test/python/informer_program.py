"""Arguments and output of the programs beside this module."""

import argparse
import json

WHAT = {"ADDED": "add", "MODIFIED": "update", "DELETED": "delete"}


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kubeconfig", required=True)
    parser.add_argument("--namespace", required=True)
    parser.add_argument("--selector", required=True)
    return parser.parse_args()


def tell(what, **more):
    print(json.dumps({"what": what, **more}), flush=True)
