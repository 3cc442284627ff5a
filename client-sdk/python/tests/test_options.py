"""Tests of options that cannot be used."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
import typing
import unittest
from dataclasses import fields
from pathlib import Path

import watchgate
from gateway_case import GatewayCase
from watchgate import SelectionOptions, View, WatchgateError
from watchgate._selection import Selection


class ConnectTest(unittest.IsolatedAsyncioTestCase):
    async def test_server_is_needed(self) -> None:
        with self.assertRaisesRegex(ValueError, "needs a server"):
            watchgate.connect()

    async def test_server_has_a_port(self) -> None:
        with self.assertRaisesRegex(ValueError, "'gateway' is not HOST:PORT"):
            watchgate.connect("one:7443", "gateway")

    async def test_server_name_needs_tls(self) -> None:
        with self.assertRaisesRegex(ValueError, "give ca, too"):
            watchgate.connect("gateway:7443", server_name="other")

    async def test_ca_is_a_file_of_certificates(self) -> None:
        with self.assertRaises(FileNotFoundError):
            watchgate.connect("gateway:7443", ca="/no/such/file")
        with tempfile.NamedTemporaryFile() as empty:
            with self.assertRaisesRegex(ValueError, f"{empty.name} has no certificate"):
                watchgate.connect("gateway:7443", ca=empty.name)

    async def test_client_name_is_sent(self) -> None:
        async with watchgate.connect("gateway:7443", client_name="billing") as client:
            self.assertEqual(client._follower("pods", {}, b"")._request.client_name, "billing")

    async def test_client_certificate_needs_key_and_ca(self) -> None:
        with self.assertRaisesRegex(ValueError, "are given together"):
            watchgate.connect("gateway:7443", ca="ca.pem", certificate="client.pem")
        with self.assertRaisesRegex(ValueError, "give ca, too"):
            watchgate.connect("gateway:7443", certificate="client.pem", key="client.key")
        with tempfile.NamedTemporaryFile("w+") as file:
            file.write("-----BEGIN CERTIFICATE-----")
            file.flush()
            with self.assertRaisesRegex(ValueError, f"{file.name} has no private key"):
                watchgate.connect("gateway:7443", ca=file.name, certificate=file.name, key=file.name)


class TokenTest(GatewayCase):
    async def test_missing_token_is_waited_for(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "token")
            async with watchgate.connect(self.gateway.address, token_file=file) as client:
                for content in (None, "\n"):
                    if content:
                        file.write_text(content)
                    with self.assertRaisesRegex(WatchgateError, f"there is no token to send: .*{file}"):
                        await client.list("pods", timeout=0.1)
                file.write_text("token\n")
                self.assertEqual(await client.list("pods"), ())


    async def test_token_that_cannot_be_sent_is_waited_for(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "token")
            async with watchgate.connect(self.gateway.address, token_file=file) as client:
                for content in (b"one\ntwo", b"one\ttwo", b"\xff", "é".encode()):
                    file.write_bytes(content)
                    with self.assertRaisesRegex(WatchgateError, "there is no token to send: "):
                        await asyncio.wait_for(client.list("pods", timeout=0.1), 60)
                    async with contextlib.aclosing(client.updates("pods")) as updates:
                        update = await asyncio.wait_for(anext(updates), 60)
                    assert isinstance(update, watchgate.Interrupted)
                    self.assertEqual((update.failure.code, update.failure.action), ("UNAVAILABLE", watchgate.Action.RESUME))


class SelectionTest(unittest.TestCase):
    def test_options_are_the_fields(self) -> None:
        names = [field.name for field in fields(Selection)]
        self.assertEqual(["resource", *typing.get_type_hints(SelectionOptions)], names)

    def test_one_namespace_is_in_a_list(self) -> None:
        with self.assertRaisesRegex(TypeError, "namespaces is a list"):
            Selection("pods", namespaces="shop")

    def test_include_excludes_view(self) -> None:
        with self.assertRaisesRegex(ValueError, "include and view exclude each other"):
            Selection("pods", view=View.KEY, include=["/spec"])


if __name__ == "__main__":
    unittest.main()
