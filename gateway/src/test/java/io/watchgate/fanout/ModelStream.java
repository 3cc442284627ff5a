package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.SampleObject;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.ExpiredPositionPolicy;
import io.watchgate.proto.v1.LagPolicy;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.NetEffectReason;
import io.watchgate.proto.v1.RemovalReason;
import io.watchgate.proto.v1.SnapshotReason;
import io.watchgate.proto.v1.WatchEvent;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Stream as a client reads it: applies the responses by the rules at the head of watch.proto, and
 * checks every response against the truth.
 */
final class ModelStream {
  private final FilteredTruth truth;
  private final SentObjects objects;
  private final StreamSettings settings;
  private final StartPoint start;
  private final TruthCache replica;
  private final Set<String> met;
  private NavigableMap<String, SampleObject> state;
  private @Nullable Position position;
  private Mode mode = Mode.NOTHING_YET;
  private NavigableMap<String, SampleObject> collected = new TreeMap<>();

  /** Keys of objects whose body was omitted because it was too large. */
  private Set<String> bodiless;

  private final List<WatchEvent> group = new ArrayList<>();
  private NetEffectReason netEffect = NetEffectReason.NET_EFFECT_REASON_UNSPECIFIED;

  /** True after a bookmark without a position: only a snapshot or net effect may follow. */
  private boolean groupIsNext;

  private enum Mode {
    NOTHING_YET,
    OPENING,
    CHANGES,
    SNAPSHOT,
    NET_EFFECT
  }

  /** Former state of the client. */
  record Held(
      @Nullable Position position, NavigableMap<String, SampleObject> state, Set<String> bodiless) {
    static final Held NOTHING = new Held(null, new TreeMap<>(), Set.of());
  }

  ModelStream(
      FilteredTruth truth,
      SentObjects objects,
      StreamSettings settings,
      StartPoint start,
      TruthCache replica,
      Held held) {
    this.truth = truth;
    this.objects = objects;
    this.met = objects.met();
    this.settings = settings;
    this.start = start;
    this.replica = replica;
    this.state = new TreeMap<>(held.state());
    this.bodiless = new HashSet<>(held.bodiless());
    this.position = held.position();
  }

  /**
   * Applies a response. Returns the client's state if the response ends with a position, else null.
   */
  @Nullable Held take(ListAndWatchResponse response) {
    checkSize(response);
    boolean positioned = !response.getResumeToken().isEmpty();
    assertThat(response.getResourceVersion().isEmpty()).isEqualTo(!positioned);
    assertThat(response.hasOpened()).as("opened comes first").isEqualTo(mode == Mode.NOTHING_YET);
    met.add(response.getSignalCase().name());
    switch (response.getSignalCase()) {
      case OPENED -> {
        assertAlone(response);
        assertThat(positioned).isFalse();
        mode = Mode.OPENING;
      }
      case RESUMED -> resumed(response);
      case SNAPSHOT_STARTED -> snapshotStarted(response);
      case SYNCED -> {
        response.getEventsList().forEach(this::collect);
        synced(response);
      }
      case NET_EFFECT_STARTED -> netEffectStarted(response);
      case BOOKMARK -> bookmark(response);
      case SIGNAL_NOT_SET -> events(response);
      case GOING_AWAY -> throw new AssertionError("nobody drains");
    }
    return positioned ? new Held(position, new TreeMap<>(state), new HashSet<>(bodiless)) : null;
  }

  private void checkSize(ListAndWatchResponse response) {
    int limit = settings.maxResponseBytes();
    assertThat(response.getSerializedSize())
        .isLessThanOrEqualTo(response.getEventsCount() > 1 ? Math.min(64 << 10, limit) : limit);
  }

  private static void assertAlone(ListAndWatchResponse response) {
    assertThat(response.getEventsCount()).isZero();
  }

  private static Position positionOf(ListAndWatchResponse response) {
    ResumeToken.Parsed parsed = ResumeToken.parse(response.getResumeToken().toByteArray());
    assertThat(parsed).isInstanceOf(ResumeToken.Valid.class);
    Position reached = ((ResumeToken.Valid) parsed).position();
    assertThat(reached.version().digits()).isEqualTo(response.getResourceVersion());
    return reached;
  }

  // ---- the start

  private void resumed(ListAndWatchResponse response) {
    assertThat(mode).isEqualTo(Mode.OPENING);
    assertAlone(response);
    Position from = positionOf(response);
    switch (start) {
      case StartPoint.Token token -> assertThat(from).isEqualTo(position);
      case StartPoint.Version(ResourceVersion version) -> {
        assertThat(from.version()).isEqualTo(version);
        state = truth.stateAt(from);
      }
      case StartPoint.Now now -> {
        assertNotBelowMinimum(from);
        state = truth.stateAt(from);
      }
      case StartPoint.Snapshot snapshot -> throw new AssertionError("a snapshot was asked for");
    }
    mode = Mode.CHANGES;
    reach(from);
  }

  // ---- snapshots

  private void snapshotStarted(ListAndWatchResponse response) {
    assertAlone(response);
    assertThat(response.getResumeToken().isEmpty()).isTrue();
    assertThat(group).as("events that no position followed").isEmpty();
    SnapshotReason reason = response.getSnapshotStarted().getReason();
    met.add(reason.name());
    boolean asked = mode == Mode.OPENING && start instanceof StartPoint.Snapshot;
    assertThat(reason == SnapshotReason.SNAPSHOT_REASON_REQUESTED).isEqualTo(asked);
    if (!asked) {
      assertThat(settings.expiredPositionPolicy())
          .isEqualTo(ExpiredPositionPolicy.EXPIRED_POSITION_POLICY_SNAPSHOT);
      assertThat(mode == Mode.OPENING || settings.lagPolicy() != LagPolicy.LAG_POLICY_DISCONNECT)
          .isTrue();
    }
    switch (reason) {
      case SNAPSHOT_REASON_REQUESTED -> {}
      case SNAPSHOT_REASON_POSITION_EXPIRED -> {
        if (mode == Mode.OPENING) {
          assertThat(replica.canResume(Objects.requireNonNull(asked()))).isFalse();
        }
      }
      case SNAPSHOT_REASON_HISTORY_LOST -> {
        assertThat(truth.truth().wasRestored()).isTrue();
        position = null; // versions of different histories do not compare
      }
      default -> throw new AssertionError("the type never changed: " + reason);
    }
    mode = Mode.SNAPSHOT;
    groupIsNext = false;
    collected = new TreeMap<>();
    bodiless = new HashSet<>(); // until Synced the former objects do not matter
  }

  private @Nullable ResourceVersion asked() {
    return start instanceof StartPoint.Version(ResourceVersion version)
        ? version
        : position == null ? null : position.version();
  }

  private void collect(WatchEvent event) {
    assertThat(mode).isEqualTo(Mode.SNAPSHOT);
    objects.collect(event, collected, bodiless);
  }

  private void synced(ListAndWatchResponse response) {
    assertThat(mode).isEqualTo(Mode.SNAPSHOT);
    assertThat(response.getSynced().getObjects()).isEqualTo(collected.size());
    state = collected;
    mode = Mode.CHANGES;
    assertNotBelowMinimum(positionOf(response));
    reach(positionOf(response));
  }

  /** Applies to snapshots and new starts; a resumed stream reaches the minimum by changes. */
  private void assertNotBelowMinimum(Position shown) {
    ResourceVersion minimum = settings.minimumVersion();
    if (minimum != null && !truth.truth().wasRestored()) {
      assertThat(minimum.isAfter(shown.version())).isFalse();
    }
  }

  // ---- changes

  private void bookmark(ListAndWatchResponse response) {
    assertAlone(response);
    if (response.getResumeToken().isEmpty()) {
      groupIsNext |= mode == Mode.CHANGES;
    } else {
      changesUpTo(positionOf(response));
    }
  }

  private void events(ListAndWatchResponse response) {
    boolean positioned = !response.getResumeToken().isEmpty();
    switch (mode) {
      case NOTHING_YET, OPENING -> throw new AssertionError("events before the beginning");
      case SNAPSHOT -> {
        assertThat(positioned).as("half a snapshot is no position").isFalse();
        response.getEventsList().forEach(this::collect);
      }
      case CHANGES, NET_EFFECT -> {
        group.addAll(response.getEventsList());
        if (positioned && mode == Mode.CHANGES) {
          changesUpTo(positionOf(response));
        } else if (positioned) {
          netEffectUpTo(positionOf(response));
        }
      }
    }
  }

  /**
   * Checks that exactly the changes in between were sent, in order, and only those of the
   * selection.
   */
  private void changesUpTo(Position to) {
    assertThat(mode).isEqualTo(Mode.CHANGES);
    boolean conflates = settings.lagPolicy() == LagPolicy.LAG_POLICY_CONFLATE;
    assertThat(groupIsNext).isIn(false, conflates);
    groupIsNext = false;
    Position from = Objects.requireNonNull(position);
    List<String> lines = group.stream().map(FilteredTruth::line).toList();
    if (conflates && !truth.changes(from, to).contains(lines)) {
      met.add("CONFLATED");
      assertNetEffect(to);
    } else {
      assertThat(truth.changes(from, to)).as("changes from %s to %s", from, to).contains(lines);
      assertThat(conflates || group.stream().allMatch(WatchEvent::hasReceiveTime)).isTrue();
    }
    applyGroup();
    reach(to);
  }

  private void netEffectStarted(ListAndWatchResponse response) {
    assertAlone(response);
    assertThat(mode).isEqualTo(Mode.CHANGES);
    assertThat(response.getResumeToken().isEmpty()).isTrue();
    assertThat(group).as("events that no position followed").isEmpty();
    assertThat(settings.lagPolicy()).isEqualTo(LagPolicy.LAG_POLICY_RESYNC);
    netEffect = response.getNetEffectStarted().getReason();
    met.add(netEffect.name());
    mode = Mode.NET_EFFECT;
    groupIsNext = false;
  }

  private void netEffectUpTo(Position to) {
    assertNetEffect(to);
    applyGroup();
    mode = Mode.CHANGES;
    reach(to);
  }

  /**
   * Checks a net effect: removals first; at most one event per object, except a removal and a
   * creation.
   */
  private void assertNetEffect(Position to) {
    NavigableMap<String, SampleObject> result = truth.stateAt(to);
    boolean deletes = true;
    Set<String> seen = new HashSet<>();
    for (WatchEvent event : group) {
      boolean delete = event.getType() == EventType.EVENT_TYPE_DELETED;
      assertThat(delete && !deletes).as("a delete after the rest").isFalse();
      deletes = delete;
      assertThat(seen.add(delete + FilteredTruth.key(event))).isTrue();
      RemovalReason unseen =
          netEffect == NetEffectReason.NET_EFFECT_REASON_LAG
              ? RemovalReason.REMOVAL_REASON_OBJECT_DELETED
              : RemovalReason.REMOVAL_REASON_INFERRED;
      boolean told = netEffect != NetEffectReason.NET_EFFECT_REASON_UNSPECIFIED;
      if (delete && (told ? event.getRemovalReason() != unseen : leftSelection(event))) {
        assertThat(event.getRemovalReason())
            .isEqualTo(RemovalReason.REMOVAL_REASON_NO_LONGER_MATCHES);
        assertThat(result).doesNotContainKey(FilteredTruth.key(event));
      }
    }
  }

  private static boolean leftSelection(WatchEvent event) {
    return event.getRemovalReason() == RemovalReason.REMOVAL_REASON_NO_LONGER_MATCHES;
  }

  private void applyGroup() {
    group.forEach(event -> objects.apply(event, state, bodiless));
    group.clear();
  }

  /** Moves to a position: the applied state must be the matching state there. */
  private void reach(Position to) {
    Position from = position;
    assertThat(from != null && from.version().isAfter(to.version()))
        .as("positions do not go back, from %s", from)
        .isFalse();
    assertThat(state).isEqualTo(truth.stateAt(to));
    position = to;
  }

  void assertUpToDate() {
    assertThat(mode).as("from %s", start).isEqualTo(Mode.CHANGES);
    assertThat(state).isEqualTo(truth.now());
  }

  @Override
  public String toString() {
    return "a stream from " + start + ", " + truth.choice().selection() + ", held to " + position;
  }
}
