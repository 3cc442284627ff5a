package io.watchgate.fanout;

import io.watchgate.proto.v1.Bookmark;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The bookmarks of one stream. How far the router has come is asked first; once the stream has got
 * there, or has sent all that its feed has, that is its position, and what was proven holds for it.
 * One that stands elsewhere is told its position and nothing more. Used by one owner.
 */
final class BookmarkSender {
  private final RouterRegistry.Lease lease;
  private final ResponseWriter out;
  private boolean due;

  /** What the one that is due says, and the phase that it was asked for in. */
  private CacheSubscribers.@Nullable Progress progress;

  private @Nullable Phase askedIn;

  BookmarkSender(RouterRegistry.Lease lease, ResponseWriter out) {
    this.lease = lease;
    this.out = out;
  }

  /** One has to be sent as soon as the transport takes it. */
  void fallDue() {
    due = true;
    askedIn = null;
  }

  boolean isDue() {
    return due;
  }

  /** Sends the one that is due, unless something comes before it. */
  void sendIfReached(Phase phase, @Nullable CacheSubscribers readers) {
    if (!due) {
      return;
    }
    if (!phase.equals(askedIn)) {
      askedIn = phase;
      progress = Objects.requireNonNull(readers, "not open").progress(lease.router());
    }
    CacheSubscribers.Progress asked = Objects.requireNonNull(progress);
    if (!(phase instanceof LivePhase following)) {
      send(phase.position(), asked.withoutProof());
    } else if (asked.isReachedBy(following.position())) {
      send(following.position(), asked.bookmark());
    }
  }

  /** The stream has sent all there is: sends the one that is due. */
  void sendIfDrained(Phase phase) {
    CacheSubscribers.Progress asked = progress;
    if (due && asked != null && phase instanceof LivePhase following) {
      asked.reach(following);
      send(following.position(), asked.bookmark());
    }
  }

  private void send(@Nullable Position position, Bookmark bookmark) {
    due = false;
    progress = null;
    askedIn = null;
    out.send(lease.feed().bookmark(position, bookmark), 0);
  }
}
