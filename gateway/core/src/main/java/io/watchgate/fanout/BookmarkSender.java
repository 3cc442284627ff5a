package io.watchgate.fanout;

import io.watchgate.encode.ByteSlices;
import io.watchgate.encode.Position;
import io.watchgate.proto.v1.Bookmark;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Bookmarks of one stream, at an interval within {@link DeliveryDefaults}. A due bookmark first
 * records the router's position. It is sent once the stream has reached that position or has sent
 * everything in its feed. The recorded proof of freshness then applies to the stream's position.
 * Outside the live phase a bookmark only repeats the stream's position, without a proof. Used by
 * one event loop.
 */
final class BookmarkSender {
  private final RouterRegistry.Lease lease;
  private final ResponseWriter out;
  private boolean due;

  /** Content of the due bookmark. */
  private CacheStreamSet.@Nullable TickBookmark bookmark;

  /** Phase in which {@link #bookmark} was recorded. */
  private @Nullable Phase recordedIn;

  BookmarkSender(RouterRegistry.Lease lease, ResponseWriter out) {
    this.lease = lease;
    this.out = out;
  }

  /** Marks a bookmark as due. It is sent as soon as the transport accepts it. */
  void markDue() {
    due = true;
    recordedIn = null;
  }

  boolean isDue() {
    return due;
  }

  /** Sends the due bookmark if the stream has reached its position. */
  void sendIfReached(Phase phase, @Nullable CacheStreamSet cacheStreams) {
    if (!due) {
      return;
    }
    if (!phase.equals(recordedIn)) {
      recordedIn = phase;
      bookmark = Objects.requireNonNull(cacheStreams, "not open").tickBookmark(lease.router());
    }
    CacheStreamSet.TickBookmark requested = Objects.requireNonNull(bookmark);
    if (!(phase instanceof LivePhase live)) {
      send(phase.position(), requested.withoutProof());
    } else if (requested.isReachedBy(live.position()) && !live.hasGapAhead()) {
      send(live.position(), requested.bookmark(live.position()));
    }
  }

  /** Sends the due bookmark: the stream has sent all frames of its feed. */
  void sendIfDrained(Phase phase) {
    CacheStreamSet.TickBookmark requested = bookmark;
    if (due && requested != null && phase instanceof LivePhase live) {
      requested.moveToRouted(live);
      send(live.position(), requested.bookmark(live.position()));
    }
  }

  private void send(@Nullable Position position, Bookmark content) {
    due = false;
    bookmark = null;
    recordedIn = null;
    ByteSlices response = lease.feed().bookmark(position, content);
    if (!response.isEmpty()) {
      out.send(response, 0);
    }
  }
}
