"""Watch that reopens its stream when it ends."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import AsyncGenerator, Callable

from watchgate._backoff import Backoff, RetryBudget
from watchgate._errors import Action, CallFailed, Failure, UnknownChange, WatchgateError
from watchgate._replicas import Replicas
from watchgate._stream import Stream
from watchgate._updates import Bookmark, Interrupted, Received, Update
from watchgate.v1 import watch_pb2

_LOG = logging.getLogger("watchgate")


class Follower:
    """Watch of one selection, which resumes by itself after the waits of the contract. Used by one task at a time."""

    def __init__(
        self,
        replicas: Replicas,
        budget: RetryBudget,
        request: watch_pb2.ListAndWatchRequest,
        first_answer_timeout: float,
    ) -> None:
        self._replicas = replicas
        self._budget = budget
        self._request = request
        if len(replicas) > 1:
            request.features.append("replicas")
        self._first_answer_timeout = first_answer_timeout
        self._replica: int | None = None  # of the last stream
        self._backoff = Backoff()
        self._is_answered = False  # by a gateway, ever
        self._wrong_since: float | None = None
        self._is_interrupted = False  # since the last response
        self._is_unreadable = False  # the last failure is a change that this version does not know
        self.on_open: Callable[[], None] = lambda: None
        """Called while a stream is open, once for each response."""

    async def updates(self) -> AsyncGenerator[Update, None]:
        """Yields updates until a stream ends with STOP, or only servers that are not a gateway have answered for too long.

        Raises WatchgateError then. Closing the generator closes the stream.
        """
        while True:
            try:
                stream = self._open()
                try:
                    while stream.reconnect_within is None:
                        update = await stream.read()
                        if stream.is_answered:
                            self._is_answered = True
                            self._log_continued()
                            self.on_open()
                        if update is not None:
                            self._progress(update)
                            yield update
                finally:
                    stream.close()
                delay = random.uniform(0, stream.reconnect_within)
            except CallFailed as failed:
                delay = self._budget.reserve(self._backoff.delay(failed.failure))
                ended = self._end(failed.failure)
                if ended is None:
                    self._log_interrupted(failed.failure)
                if failed.failure.action is Action.RESTART:
                    self._request.resume_token = b""
                self._is_unreadable = self._is_unreadable or isinstance(failed, UnknownChange)
                yield Interrupted(failed.failure, 0.0 if ended else delay)
                if ended:
                    raise WatchgateError(ended) from failed
            await asyncio.sleep(delay)

    def _open(self) -> Stream:
        self._replica = self._replicas.choose(self._replica)
        return Stream(self._replicas, self._replica, self._request)

    def _log_interrupted(self, failure: Failure) -> None:
        """Logs the first failure of an outage, so that a watch without an answer is not silent."""
        if not self._is_interrupted:
            _LOG.warning("a watch of %s is interrupted, and tries again: %s", self._resource(), failure.described())
        self._is_interrupted = True

    def _log_continued(self) -> None:
        if self._is_interrupted:
            _LOG.info("a watch of %s continues", self._resource())
        self._is_interrupted = False

    def _resource(self) -> str:
        return self._request.selection.resource_type.resource

    def _progress(self, update: Received) -> None:
        # The snapshot after an unknown change is no progress: the next such change asks for another snapshot.
        if isinstance(update, Bookmark) if self._is_unreadable else update.token != self._request.resume_token:
            self._backoff.reset()
            self._is_unreadable = False
        self._request.resume_token = update.token

    def _end(self, failure: Failure) -> Failure | None:
        """Returns the end of the watch, if it cannot go on."""
        self._is_answered = self._is_answered or failure.is_from_gateway
        if failure.action is Action.STOP:
            return failure
        if self._is_answered or not failure.may_be_wrong_address:
            return None
        now = time.monotonic()
        if self._wrong_since is None:
            self._wrong_since = now
        tried = now - self._wrong_since
        if tried < self._first_answer_timeout:
            return None
        text = (
            f"no Watchgate has answered there for {tried:.0f} s. What answers is a proxy or load balancer in between, or another server: "
            f"{failure.code}, {failure.message}. Check host and port, and that everything in between passes on gRPC over HTTP/2"
        )
        return Failure(failure.code, "", Action.STOP, text)
