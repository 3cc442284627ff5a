"""Tests of the differences between states."""

from __future__ import annotations

import unittest

from gateway_case import line
from watchgate import Change, Changes, ChangeType, Key, Snapshot
from watchgate._state import State


def added(name: str, body: bytes) -> Change:
    return Change(ChangeType.ADDED, Key("shop", name), "uid", "1", body)


class StateTest(unittest.TestCase):
    def test_same_version_with_another_body_is_a_difference(self) -> None:
        state = State()
        list(state.replace(Snapshot((added("web", b"1"),), "1", b"t")))
        changes = list(state.replace(Snapshot((added("web", b"2"),), "2", b"t")))
        self.assertEqual([line(change) for change in changes], ["MODIFIED shop/web"])

    def test_deleted_object_is_deleted_once(self) -> None:
        state = State()
        list(state.replace(Snapshot((added("web", b"1"),), "1", b"t")))
        deleted = Change(ChangeType.DELETED, Key("shop", "web"), "uid", "2", None)
        self.assertEqual(list(state.apply(Changes((deleted,), "2", b"t"))), [deleted])
        self.assertEqual(list(state.replace(Snapshot((), "3", b"t"))), [])


if __name__ == "__main__":
    unittest.main()
