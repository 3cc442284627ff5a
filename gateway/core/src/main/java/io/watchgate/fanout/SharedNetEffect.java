package io.watchgate.fanout;

import io.watchgate.cache.Change;
import io.watchgate.cache.KeyRange;
import io.watchgate.cache.Revision;
import io.watchgate.cache.StateDiff;
import io.watchgate.json.KubeObject;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.NetEffectReason;
import io.watchgate.proto.v1.RemovalReason;
import io.watchgate.select.CompiledSelection;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * Difference for a feed between the states at two revisions: first all removals, then the rest. An
 * object that was deleted and created again has an event in both passes.
 */
final class SharedNetEffect extends SharedChunks {
  private final CompiledSelection selection;
  private final Revision from;
  private final Revision target;
  private final RemovalReason reasonIfGone;
  private Pass pass = Pass.REMOVALS;
  private Iterator<KeyRange> ranges;
  private @Nullable StateDiff diff;

  private enum Pass {
    REMOVALS,
    REST
  }

  SharedNetEffect(Feed feed, Revision from, Revision target, NetEffectReason reason, int limit) {
    super(feed.encoder(), limit);
    this.selection = feed.selection();
    this.from = from;
    this.target = target;
    this.reasonIfGone =
        reason == NetEffectReason.NET_EFFECT_REASON_UPSTREAM_GAP
            ? RemovalReason.REMOVAL_REASON_INFERRED
            : RemovalReason.REMOVAL_REASON_OBJECT_DELETED;
    this.ranges = SelectedKeyRanges.of(selection).iterator();
  }

  Revision from() {
    return from;
  }

  Revision target() {
    return target;
  }

  @Override
  @Nullable Item next() {
    Change change = nextChange();
    if (change == null && pass == Pass.REMOVALS) {
      pass = Pass.REST;
      ranges = SelectedKeyRanges.of(selection).iterator();
      change = nextChange();
    }
    if (change == null) {
      return null;
    }
    return switch (pass) {
      case REMOVALS -> removal(change);
      case REST -> present(change);
    };
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

  private Item removal(Change change) {
    KubeObject old = change.old();
    KubeObject now = change.now();
    if (old == null || !selection.matches(old)) {
      return Item.NOTHING;
    }
    if (now == null || !now.hasSameUidAs(old)) {
      // The time of the removal is unknown; the object was gone at the target.
      return encoder -> encoder.removed(old, target.version().digits(), reasonIfGone, null);
    }
    return selection.matches(now)
        ? Item.NOTHING
        : encoder ->
            encoder.removed(
                old, now.resourceVersion(), RemovalReason.REMOVAL_REASON_NO_LONGER_MATCHES, null);
  }

  private Item present(Change change) {
    KubeObject old = change.old();
    KubeObject now = change.now();
    if (now == null || !selection.matches(now)) {
      return Item.NOTHING;
    }
    boolean held = old != null && old.hasSameUidAs(now) && selection.matches(old);
    EventType type = held ? EventType.EVENT_TYPE_MODIFIED : EventType.EVENT_TYPE_ADDED;
    return encoder -> encoder.present(type, now, null);
  }
}
