package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.watchgate.cache.CacheWriter;
import io.watchgate.cache.HistoryId;
import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.VirtualTime;
import io.watchgate.proto.v1.ExpiredPositionPolicy;
import io.watchgate.proto.v1.LagPolicy;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.StreamOpened;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Client with one selection that opens one stream after the other, at any replica, from any of its
 * tokens, and that reads at random times.
 */
final class ModelClient {
  /** Projections, the frequent ones several times. */
  static final List<ObjectProjection> PROJECTIONS =
      List.of(
          ObjectProjection.FULL,
          ObjectProjection.FULL,
          ObjectProjection.NO_MANAGED_FIELDS,
          ObjectProjection.METADATA,
          ObjectProjection.KEY,
          ObjectProjection.FULL.withPatches(),
          ObjectProjection.NO_MANAGED_FIELDS.withPatches(),
          ObjectProjection.METADATA.withPatches());

  private final FilteredTruth truth;
  private final Random random;
  private final VirtualTime time;
  private final ObjectProjection projection;
  private final ResumeTokenCodec tokens;
  private final LagPolicy lagPolicy;
  private final ExpiredPositionPolicy expiredPolicy;
  private final Duration batchDelay;
  private final Duration bookmarkInterval;
  private final int maxResponseBytes;
  private final List<Saved> saved = new ArrayList<>();
  private @Nullable OpenStream open;

  /** Signals and reasons that occurred, so that a run can check that it covered all. */
  final Set<String> met = new HashSet<>();

  private record Saved(ByteString token, ModelStream.Held held) {}

  private static final class OpenStream {
    final RecordingOutlet outlet;
    final ModelStream stream;
    final Subscription subscription;
    int read;
    long lastHeard;

    OpenStream(RecordingOutlet outlet, ModelStream stream, Subscription subscription) {
      this.outlet = outlet;
      this.stream = stream;
      this.subscription = subscription;
    }
  }

  ModelClient(Truth truth, VirtualTime time, Random random) {
    this.truth = new FilteredTruth(truth, Choice.ALL.get(random.nextInt(Choice.ALL.size())));
    this.time = time;
    this.random = random;
    this.projection = PROJECTIONS.get(random.nextInt(PROJECTIONS.size()));
    this.tokens =
        ResumeTokenCodec.of(
            new HistoryId("c", CacheWriter.DEFINITION),
            this.truth.choice().selection(),
            projection);
    this.lagPolicy =
        switch (random.nextInt(4)) {
          case 0 -> LagPolicy.LAG_POLICY_DISCONNECT;
          case 1 -> LagPolicy.LAG_POLICY_CONFLATE;
          default -> LagPolicy.LAG_POLICY_RESYNC;
        };
    this.expiredPolicy =
        random.nextInt(4) == 0
            ? ExpiredPositionPolicy.EXPIRED_POSITION_POLICY_FAIL
            : ExpiredPositionPolicy.EXPIRED_POSITION_POLICY_SNAPSHOT;
    this.batchDelay = random.nextInt(3) == 0 ? Duration.ofMillis(500) : Duration.ZERO;
    this.bookmarkInterval = Duration.ofSeconds(1 + random.nextInt(20));
    this.maxResponseBytes = random.nextBoolean() ? 4 << 10 : 4 << 20;
  }

  boolean isOpen() {
    return open != null;
  }

  /** Opens a stream from a random start. */
  void connect(Replica to) throws ApiException {
    ModelStream.Held held = ModelStream.Held.NOTHING;
    StartPoint start = new StartPoint.Snapshot();
    int kind = random.nextInt(10);
    if (kind < 7 && !saved.isEmpty()) {
      boolean any = random.nextInt(3) == 0;
      Saved from = saved.get(any ? random.nextInt(saved.size()) : saved.size() - 1);
      held = from.held();
      start = new StartPoint.Token(tokens.check(from.token()));
    } else if (kind == 8 && !patches()) {
      start = new StartPoint.Now();
    } else if (kind == 9 && !patches()) {
      start = someVersion(to);
    }
    StreamSettings settings =
        new StreamSettings(
            lagPolicy,
            expiredPolicy,
            batchDelay,
            bookmarkInterval,
            maxResponseBytes,
            null,
            minimum());
    RecordingOutlet outlet = new RecordingOutlet(random.nextInt(4));
    SentObjects objects = new SentObjects(truth.truth(), projection, maxResponseBytes, met);
    ModelStream stream = new ModelStream(truth, objects, settings, start, to.known, held);
    Subscription subscription =
        new Subscription(
            new Subscription.Environment(
                to.owner,
                to.owner.arrival(),
                to.routers,
                to.routers.shared(),
                FanoutSettings.DEFAULTS,
                time.source(),
                FanoutMetrics.NONE),
            to.known.writer.lease(() -> {}),
            new Subscription.Request(
                truth.choice().selection(),
                projection,
                settings,
                start,
                tokens,
                StreamOpened.newBuilder().setHistoryId(tokens.epoch().historyId()).build()),
            outlet);
    open = new OpenStream(outlet, stream, subscription);
    subscription.open();
  }

  /** Patches are for clients that have the base of the patch (watch.proto). */
  private boolean patches() {
    return projection.changeEncoding() == ObjectProjection.ChangeEncoding.PATCH;
  }

  /** A bare version does not identify its history; not used once there is another history. */
  private StartPoint someVersion(Replica to) {
    long version = to.known.timeline().now - random.nextInt(60);
    return truth.truth().wasRestored() || version < to.known.timeline().states.firstKey()
        ? new StartPoint.Snapshot()
        : new StartPoint.Version(new ResourceVersion(Long.toString(version)));
  }

  private @Nullable ResourceVersion minimum() {
    return truth.truth().wasRestored() || random.nextInt(4) > 0
        ? null
        : new ResourceVersion(
            Long.toString(Math.max(1, truth.truth().current().now - random.nextInt(20))));
  }

  void credit(int responses) {
    OpenStream stream = open;
    if (stream != null) {
      stream.lastHeard = time.source().nanoTime();
      stream.outlet.credit(responses);
      stream.subscription.wake();
    }
  }

  void cancel() {
    if (open != null) {
      open.subscription.transportClosed();
      open = null;
    }
  }

  /** Drops all tokens, as a client that is told to RESTART. */
  void forget() {
    saved.clear();
  }

  /** Reads the responses sent since the last call. */
  void read() {
    OpenStream now = open;
    if (now == null) {
      return;
    }
    for (; now.read < now.outlet.sent.size(); now.read++) {
      ListAndWatchResponse response = now.outlet.sent.get(now.read);
      now.lastHeard = time.source().nanoTime();
      try {
        ModelStream.Held held = now.stream.take(response);
        if (held != null) {
          saved.add(new Saved(response.getResumeToken(), held));
        }
      } catch (Throwable t) {
        throw new AssertionError(
            "response %d of %s:%n%s".formatted(now.read, now.stream, response), t);
      }
    }
    ApiError refusal = now.outlet.refusal();
    if (refusal != null) {
      open = null;
      met.add(refusal.reason().name());
    }
  }

  /** Asserts that a client that always reads got a response within every bookmark interval. */
  void assertHeard() {
    if (open != null) {
      assertThat(Duration.ofNanos(time.source().nanoTime() - open.lastHeard))
          .isLessThanOrEqualTo(bookmarkInterval);
    }
  }

  /** Asserts that the client has everything. */
  void assertUpToDate() {
    assertThat(open).as("in the end everybody has a stream").isNotNull();
    Objects.requireNonNull(open).stream.assertUpToDate();
  }
}
