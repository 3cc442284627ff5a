"""Files of TLS."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import grpc


class TlsFiles:
    """Certificates and key in PEM files, which may be replaced. While one of them cannot be used, the contents before stay in use."""

    def __init__(self, ca: Path, certificate: Path | None, key: Path | None, server_name: str) -> None:
        self._ca = ca
        self._certificate = certificate
        self._key = key
        self._server_name = server_name
        self._contents = self._read()

    def have_changed(self) -> bool:
        """Reads the files, and returns whether credentials() differ from those before."""
        try:
            contents = self._read()
        except (OSError, ValueError):
            return False  # a file is being replaced
        if contents == self._contents:
            return False
        self._contents = contents
        return True

    def credentials(self) -> grpc.ChannelCredentials:
        ca, certificate, key = self._contents
        return grpc.ssl_channel_credentials(ca, key, certificate)

    def options(self) -> list[tuple[str, Any]]:
        """Returns options of gRPC for the name in the gateway's certificate."""
        return [("grpc.ssl_target_name_override", self._server_name)] if self._server_name else []

    def _read(self) -> tuple[bytes, bytes | None, bytes | None]:
        return (
            _pem(self._ca, b"CERTIFICATE"),
            _pem(self._certificate, b"CERTIFICATE") if self._certificate else None,
            _pem(self._key, b"PRIVATE KEY") if self._key else None,
        )


def tls_files(
    ca: str | Path | None, certificate: str | Path | None, key: str | Path | None, server_name: str
) -> TlsFiles | None:
    """Returns the files, None for plaintext. Raises ValueError or OSError for files that cannot be used."""
    if (certificate is None) != (key is None):
        raise ValueError("certificate and key are given together")
    if ca is not None:
        return TlsFiles(Path(ca), Path(certificate) if certificate else None, Path(key) if key else None, server_name)
    if server_name:
        raise ValueError("server_name is checked with TLS only: give ca, too")
    if certificate:
        raise ValueError("a client certificate is for TLS only: give ca, too")
    return None


def _pem(file: Path, kind: bytes) -> bytes:
    pem = file.read_bytes()
    if kind + b"-----" not in pem:
        raise ValueError(f"{file} has no {kind.decode().lower()} in the form PEM")
    return pem
