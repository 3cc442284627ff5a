package io.watchgate.e2e.differential;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.kube.DirectEvent;
import io.watchgate.e2e.kube.DirectEvent.Change;
import io.watchgate.e2e.kube.Json;
import io.watchgate.proto.v1.NetEffectReason;
import io.watchgate.proto.v1.RemovalReason;
import io.watchgate.proto.v1.SnapshotReason;
import io.watchgate.proto.v1.WatchEvent;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Comparison of a subscriber's responses with the apiserver's events, with counters of equal
 * events. On a difference it fails with the last equal events and the next events of both sides.
 */
final class Comparison {
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final int SHOWN = 6;
  private static final int GAP_CHANGES = 100;
  private static final int GAP_DELETES = 10;
  private static final int GAP_RECREATIONS = 10;

  private final Query query;
  private final DirectLog direct;
  private final Truth truth;
  private final Tally tally;
  private final ArrayDeque<String> trail = new ArrayDeque<>();
  private int netEffects;
  private int expiries;

  /** Position of the last response that was checked. */
  private long position;

  /** Number of equal events in the current response, and the next expected event. */
  private int equal;

  private @Nullable DirectEvent expected;

  Comparison(Query query, DirectLog direct, Truth truth, Tally tally) {
    this.query = query;
    this.direct = direct;
    this.truth = truth;
    this.tally = tally;
  }

  /** Returns the number of gaps upstream that were announced and replaced by a net effect. */
  int netEffects() {
    return netEffects;
  }

  /** Returns the number of tokens that were too old and answered with a snapshot. */
  int expiries() {
    return expiries;
  }

  void check(List<ReceivedPart> received) {
    for (int i = 0; i < received.size(); i++) {
      equal = 0;
      expected = null;
      try {
        switch (received.get(i)) {
          case ReceivedPart.Changes changes -> checkChanges(changes);
          case ReceivedPart.NetEffect effect -> checkNetEffect(effect);
          case ReceivedPart.Snapshot snapshot -> checkSnapshot(snapshot);
        }
        position = received.get(i).position();
      } catch (AssertionError e) {
        throw new AssertionError(context(e, received.subList(i, received.size())), e);
      }
    }
  }

  private void checkChanges(ReceivedPart.Changes changes) {
    for (WatchEvent event : changes.events()) {
      expected = direct.take();
      checkEvent(event, expected);
      assertThat(Long.parseLong(event.getResourceVersion()))
          .as("version of an event before position %d", changes.position())
          .isLessThanOrEqualTo(changes.position());
      remember(ReceivedPart.describe(event));
      equal++;
      expected = null;
    }
    assertThat(direct.nextVersion())
        .as("version of what was not sent when position %d was", changes.position())
        .isGreaterThan(changes.position());
  }

  private void checkEvent(WatchEvent event, @Nullable DirectEvent next) {
    if (next == null) {
      throw new AssertionError(
          ReceivedPart.describe(event) + ", but the apiserver has sent no more");
    }
    assertThat(ReceivedPart.describe(event)).isEqualTo(DirectLog.describe(next));
    String where = ReceivedPart.describe(event);
    JsonNode object = Json.parse(event.getObject().toByteArray());
    assertThat(Difference.between(next.object(), object)).as(where).isNull();
    long version = next.resourceVersion();
    Change write = truth.at(version);
    assertThat(event.getRemovalReason()).as(where).isEqualTo(reason(next.change(), write));
    assertThat(event.hasReceiveTime()).as(where + " has a receive time").isTrue();
    tally.event();
    count(next.change(), write, version);
  }

  private static RemovalReason reason(Change seen, @Nullable Change write) {
    if (seen != Change.DELETED) {
      return RemovalReason.REMOVAL_REASON_UNSPECIFIED;
    }
    return write == Change.DELETED
        ? RemovalReason.REMOVAL_REASON_OBJECT_DELETED
        : RemovalReason.REMOVAL_REASON_NO_LONGER_MATCHES;
  }

  private void count(Change seen, @Nullable Change write, long version) {
    String which = query.type().plural() + " " + version;
    if (seen == Change.ADDED && write == Change.MODIFIED) {
      tally.entering(which);
    } else if (seen == Change.DELETED && write == Change.MODIFIED) {
      tally.leaving(which);
    } else if (seen == Change.DELETED) {
      tally.deleted(which);
    } else if (seen == Change.ADDED && truth.isRecreation(version)) {
      tally.recreated(which);
    }
  }

  /** Checks a snapshot: the first one, or the answer to a token that is too old. */
  private void checkSnapshot(ReceivedPart.Snapshot snapshot) {
    assertThat(snapshot.reason())
        .as("reason of the snapshot at %d", snapshot.position())
        .isIn(
            SnapshotReason.SNAPSHOT_REASON_REQUESTED,
            SnapshotReason.SNAPSHOT_REASON_POSITION_EXPIRED);
    if (snapshot.reason() == SnapshotReason.SNAPSHOT_REASON_POSITION_EXPIRED) {
      expiries++;
    }
    direct.takeUpTo(snapshot.position());
    Map<String, JsonNode> objects = new HashMap<>();
    snapshot
        .objects()
        .forEach((key, event) -> objects.put(key, Json.parse(event.getObject().toByteArray())));
    assertThat(Difference.between(direct.state(), objects))
        .as("snapshot at %d", snapshot.position())
        .isNull();
    remember("a snapshot at " + snapshot.position());
  }

  private void checkNetEffect(ReceivedPart.NetEffect effect) {
    assertThat(effect.reason())
        .as("why a net effect at %d", effect.position())
        .isIn(
            NetEffectReason.NET_EFFECT_REASON_UPSTREAM_GAP, NetEffectReason.NET_EFFECT_REASON_LAG);
    Map<String, JsonNode> before = direct.state();
    int changes = direct.takeUpTo(effect.position());
    GapCheck gap = new GapCheck(truth, before, direct.state());
    gap.check(effect);
    if (effect.reason() == NetEffectReason.NET_EFFECT_REASON_LAG) {
      checkLag(effect);
      return;
    }
    netEffects++;
    remember("a net effect up to " + effect.position());
    if (query.isEverything()
        && changes >= GAP_CHANGES
        && gap.deletes() >= GAP_DELETES
        && gap.recreations() >= GAP_RECREATIONS) {
      tally.relist(
          "%s %d/%d/%d"
              .formatted(query.type().plural(), changes, gap.deletes(), gap.recreations()));
    }
  }

  /**
   * Checks a net effect because of lag. Only a resumed stream may get one, as its first net effect.
   * Its token was still in history when it was accepted, but the changes after it may be trimmed
   * before they are sent.
   */
  private void checkLag(ReceivedPart.NetEffect effect) {
    assertThat(effect.isFirst()).as("lag of a stream that had caught up").isTrue();
    assertThat(effect.oldest())
        .as("oldest version in history when a stream at %d lagged", position)
        .succeedsWithin(LIMIT)
        .matches(oldest -> oldest > position, "is after the stream's position");
    assertThat(effect.start().getEventsReplaced())
        .as("events replaced from %d to %d", position, effect.position())
        .isEqualTo(truth.countBetween(position, effect.position()));
    tally.lagged();
    remember("a net effect after lag up to " + effect.position());
  }

  private void remember(String what) {
    trail.addLast(what);
    if (trail.size() > SHOWN) {
      trail.removeFirst();
    }
  }

  private String context(AssertionError e, List<ReceivedPart> received) {
    DirectEvent next = expected;
    Stream<String> taken = next == null ? Stream.empty() : Stream.of(DirectLog.describe(next));
    Stream<String> apiserver = Stream.concat(taken, direct.peek(SHOWN).stream());
    Stream<String> gateway = received.stream().flatMap(what -> what.lines().stream()).skip(equal);
    return """
    %s
    %s
    What was equal last:
      %s
    The apiserver goes on with:
      %s
    The gateway goes on with:
      %s\
    """
        .formatted(
            query,
            e.getMessage(),
            String.join("\n  ", trail),
            String.join("\n  ", apiserver.toList()),
            String.join("\n  ", gateway.limit(SHOWN).toList()));
  }
}
