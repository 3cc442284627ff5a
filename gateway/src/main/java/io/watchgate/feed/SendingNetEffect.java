package io.watchgate.feed;

import io.watchgate.cache.Change;
import io.watchgate.cache.KeyRange;
import io.watchgate.cache.Revision;
import io.watchgate.cache.StateDiff;
import io.watchgate.json.ObjectView;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.NetEffectReason;
import io.watchgate.proto.v1.NetEffectStarted;
import io.watchgate.proto.v1.RemovalReason;
import io.watchgate.proto.v1.WatchEvent;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * Sends what differs between the state that the stream stands on and a later one, in place of the
 * changes between them: first all removals, then the rest, as one group that ends with a position.
 */
final class SendingNetEffect implements Phase {
  private static final int LOOKED_AT = 4_096;

  private final StreamContext context;
  private final Revision from;
  private final Revision target;
  private final NetEffectReason reason;
  private Pass pass = Pass.ANNOUNCEMENT;
  private Iterator<KeyRange> ranges;
  private @Nullable StateDiff diff;
  private @Nullable WatchEvent unsent;

  private enum Pass {
    ANNOUNCEMENT,
    REMOVALS,
    REST
  }

  SendingNetEffect(StreamContext context, Revision from, Revision target, NetEffectReason reason) {
    this.context = context;
    this.from = from;
    this.target = target;
    this.reason = reason;
    this.ranges = context.ranges().iterator();
  }

  @Override
  public @Nullable Phase step() {
    if (pass == Pass.ANNOUNCEMENT) {
      announce();
      pass = Pass.REMOVALS;
      return this;
    }
    for (int looked = 0; looked < LOOKED_AT; looked++) {
      WatchEvent event = unsent;
      unsent = null;
      if (event == null) {
        Change change = nextChange();
        if (change == null) {
          if (pass == Pass.REST) {
            context.out().signal(Position.of(target), response -> {});
            return new Following(context, target, null);
          }
          pass = Pass.REST;
          ranges = context.ranges().iterator();
          continue;
        }
        event = pass == Pass.REMOVALS ? removal(change) : present(change);
      }
      if (event == null) {
        continue;
      }
      if (!context.out().fits(event)) {
        unsent = event;
        context.out().flush(null);
        return this;
      }
      context.out().add(event);
    }
    context.out().flush(null);
    return this;
  }

  private void announce() {
    context.metrics().netEffectStarted(context.type(), reason);
    long replaced =
        reason == NetEffectReason.NET_EFFECT_REASON_LAG ? target.events() - from.events() : 0;
    context
        .out()
        .signal(
            null,
            response ->
                response.setNetEffectStarted(
                    NetEffectStarted.newBuilder().setReason(reason).setEventsReplaced(replaced)));
  }

  private @Nullable Change nextChange() {
    while (true) {
      Change change = diff == null ? null : diff.next();
      if (change != null) {
        return change;
      }
      if (!ranges.hasNext()) {
        diff = null;
        return null;
      }
      diff = new StateDiff(from.state(), target.state(), ranges.next());
    }
  }

  private @Nullable WatchEvent removal(Change change) {
    ObjectView old = change.old();
    ObjectView now = change.now();
    if (old == null || !context.selection().matches(old)) {
      return null;
    }
    if (now != null && now.sameUidAs(old)) {
      return context.selection().matches(now)
          ? null
          : context
              .encoder()
              .removed(
                  old, now.resourceVersion(), RemovalReason.REMOVAL_REASON_NO_LONGER_MATCHES, null);
    }
    // When it went is not known, only that it was gone by then.
    return context
        .encoder()
        .removed(
            old,
            target.version().digits(),
            reason == NetEffectReason.NET_EFFECT_REASON_UPSTREAM_GAP
                ? RemovalReason.REMOVAL_REASON_INFERRED
                : RemovalReason.REMOVAL_REASON_OBJECT_DELETED,
            null);
  }

  private @Nullable WatchEvent present(Change change) {
    ObjectView old = change.old();
    ObjectView now = change.now();
    if (now == null || !context.selection().matches(now)) {
      return null;
    }
    boolean held = old != null && old.sameUidAs(now) && context.selection().matches(old);
    return context
        .encoder()
        .present(held ? EventType.EVENT_TYPE_MODIFIED : EventType.EVENT_TYPE_ADDED, now, null);
  }

  @Override
  public @Nullable Position position() {
    return null;
  }

  @Override
  public @Nullable Revision standing() {
    return from;
  }

  @Override
  public Phase letGo() {
    return StreamContext.lagged();
  }
}
