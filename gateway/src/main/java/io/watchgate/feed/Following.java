package io.watchgate.feed;

import io.watchgate.cache.Change;
import io.watchgate.cache.Revision;
import io.watchgate.json.ObjectView;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.NetEffectReason;
import io.watchgate.proto.v1.RemovalReason;
import io.watchgate.proto.v1.SnapshotReason;
import io.watchgate.proto.v1.WatchEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Sends the changes after the revision that the stream stands on, as they come. */
final class Following implements Phase {
  private static final int LOOKED_AT = 1_024;

  private static final String FLOOR_UNSEEN =
      "This gateway never saw the state at the token's version, which another replica sent.";

  private final StreamContext context;
  private Revision at;

  /**
   * A position above the head that the stream was opened with: the client has been there, on
   * another replica, and nothing up to it is sent. Null once the cache has passed it.
   */
  private @Nullable Position floor;

  /** When the first change that waits to be sent came from the apiserver; 0 if none waits. */
  private long firstUnsent;

  Following(StreamContext context, Revision at, @Nullable Position floor) {
    this.context = context;
    this.at = at;
    this.floor = floor;
  }

  /** Whether anything came after what was sent. */
  boolean hasNews() {
    return at.next() != null || at.trimmed();
  }

  @Override
  public @Nullable Phase step() {
    for (int looked = 0; looked < LOOKED_AT; looked++) {
      Revision next = at.next();
      if (next == null) {
        Phase after = at.trimmed() ? lagged() : null;
        flush();
        return after;
      }
      Phase other = go(next);
      if (other != null) {
        flush();
        return other;
      }
    }
    flush();
    return this;
  }

  private void flush() {
    if (!context.out().isEmpty() && firstUnsent != 0) {
      context.metrics().delivered(context.type(), context.time().nanoTime() - firstUnsent);
    }
    firstUnsent = 0;
    context.out().flush(position());
  }

  /**
   * Goes on to the next revision. Returns the phase that takes over instead, or this once a
   * response was sent.
   */
  private @Nullable Phase go(Revision next) {
    Position below = floor;
    if (below != null) {
      if (next.kind() != Revision.Kind.HISTORY_LOST && !next.version().isAfter(below.version())) {
        at = next;
        return null;
      }
      floor = null;
      if (!at.digest().equals(below.digest())) {
        return floorPassed(next);
      }
    }
    return switch (next.kind()) {
      case PROGRESS -> {
        at = next;
        yield null;
      }
      case RELIST -> upstreamGap(next);
      case HISTORY_LOST -> historyLost();
      case CHANGES -> changes(next);
    };
  }

  /** The state at the floor is not the one that the client has. */
  private Phase floorPassed(Revision next) {
    if (next.kind() != Revision.Kind.RELIST) {
      return historyLost();
    }
    // The gateway listed anew over the floor and never saw the state there: nothing is proven.
    return context.disconnects() ? upstreamGap(next) : expired(FLOOR_UNSEEN);
  }

  private @Nullable Phase changes(Revision next) {
    List<Change> changes = next.changes();
    if (changes.isEmpty()) {
      return lagged(); // it was trimmed since we saw it
    }
    List<WatchEvent> events = new ArrayList<>(changes.size());
    for (Change change : changes) {
      WatchEvent event = event(next, change);
      if (event != null) {
        events.add(event);
      }
    }
    if (!events.isEmpty() && firstUnsent == 0) {
      firstUnsent = next.receivedNanos();
    }
    boolean sent = false;
    for (int i = 0; i < events.size(); i++) {
      if (!context.out().fits(events.get(i))) {
        // Between two changes of one revision there is no position.
        context.out().flush(i == 0 ? position() : null);
        sent = true;
      }
      context.out().add(events.get(i));
    }
    at = next;
    return sent ? this : null;
  }

  private @Nullable WatchEvent event(Revision revision, Change change) {
    ObjectView old = change.old();
    ObjectView now = change.now();
    boolean before = old != null && context.selection().matches(old);
    boolean after = now != null && context.selection().matches(now);
    if (now != null && after) {
      EventType type = before ? EventType.EVENT_TYPE_MODIFIED : EventType.EVENT_TYPE_ADDED;
      return context.encoder().present(type, now, revision);
    }
    if (old != null && before) {
      RemovalReason reason =
          now != null
              ? RemovalReason.REMOVAL_REASON_NO_LONGER_MATCHES
              : revision.changes().size() > 1
                  ? RemovalReason.REMOVAL_REASON_INFERRED
                  : RemovalReason.REMOVAL_REASON_OBJECT_DELETED;
      return context.encoder().removed(old, revision.version().digits(), reason, revision);
    }
    return null;
  }

  private Phase upstreamGap(Revision relist) {
    return context.disconnects()
        ? changesLost()
        : new SendingNetEffect(context, at, relist, NetEffectReason.NET_EFFECT_REASON_UPSTREAM_GAP);
  }

  private Phase changesLost() {
    return new Ended(
        Refusal.of(
            ErrorReason.ERROR_REASON_CHANGES_LOST,
            "the gateway had to list "
                + context.type().groupResource()
                + " anew: not every change since version "
                + at.version()
                + " is known. Begin again without a token, or choose lag policy RESYNC."));
  }

  private Phase lagged() {
    Revision head = head();
    Phase other = skip(head);
    if (other != null) {
      return other;
    }
    boolean gap = head.hasGapSince(at);
    if (context.disconnects()) {
      return gap ? changesLost() : StreamContext.lagged();
    }
    Position below = floor;
    if (below != null && !at.digest().equals(below.digest())) {
      return expired(FLOOR_UNSEEN);
    }
    return new SendingNetEffect(
        context,
        at,
        head,
        gap
            ? NetEffectReason.NET_EFFECT_REASON_UPSTREAM_GAP
            : NetEffectReason.NET_EFFECT_REASON_LAG);
  }

  private Revision head() {
    return Objects.requireNonNull(context.cache().head(), "a revision without a head");
  }

  /** Goes on at the head where there is nothing to send; null if there may be. */
  private @Nullable Phase skip(Revision head) {
    if (!head.isOfTheHistoryOf(at)) {
      return historyLost();
    }
    Position below = floor;
    if (below != null && !head.version().isAfter(below.version())) {
      at = head;
      return this;
    }
    return null;
  }

  private Phase historyLost() {
    if (context.disconnects()) {
      return new Ended(
          Refusal.of(
              ErrorReason.ERROR_REASON_HISTORY_LOST,
              "the cluster's history is another one: it was restored, or replaced. Begin again"
                  + " without a token."));
    }
    return context.expired(
        SnapshotReason.SNAPSHOT_REASON_HISTORY_LOST,
        "The cluster's history is another one: it was restored, or replaced.");
  }

  @Override
  public @Nullable Position position() {
    Position below = floor;
    return below != null ? below : Position.of(at);
  }

  @Override
  public @Nullable Revision standing() {
    return at;
  }

  /**
   * The head is too far away: the stream was read too slowly, or a list brought too much at once.
   */
  @Override
  public Phase letGo() {
    Revision head = head();
    Phase other = skip(head);
    if (other != null) {
      return other;
    }
    if (context.disconnects()) {
      return head.hasGapSince(at) ? changesLost() : StreamContext.lagged();
    }
    return expired("So much changed since the state that this stream stands on was sent.");
  }

  private Phase expired(String message) {
    return context.expired(SnapshotReason.SNAPSHOT_REASON_POSITION_EXPIRED, message);
  }
}
