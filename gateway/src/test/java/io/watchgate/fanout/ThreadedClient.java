package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.CacheWriter;
import io.watchgate.cache.HistoryId;
import io.watchgate.cache.ResourceVersion;
import io.watchgate.proto.v1.ExpiredPositionPolicy;
import io.watchgate.proto.v1.LagPolicy;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.StreamOpened;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Client that opens one stream after the other while all threads run, and only records the
 * responses. They are checked against the truth after all threads are idle.
 */
final class ThreadedClient {
  private final Choice choice;

  /**
   * True for a client that requests everything, always reads, and has no bookmarks that would hide
   * a missed change.
   */
  private final boolean steady;

  private final Random random;
  private final ObjectProjection projection;
  private final ResumeTokenCodec tokens;
  private final LagPolicy lagPolicy;
  private final ExpiredPositionPolicy expiredPolicy;

  /** Equal for all its streams, because a patch requires that the former body was accepted. */
  private final int maxResponseBytes;

  private final List<Stream> streams = new CopyOnWriteArrayList<>();

  /** Position of a stream of this client: a response with a token. */
  private record Place(int stream, int response) {}

  private record Stream(
      StartPoint start,
      @Nullable Place resumed,
      StreamSettings settings,
      TruthCache cache,
      ThreadedOutlet outlet,
      Subscription subscription) {

    /** Returns the index of the last response with a token; -1 for none. */
    int lastPositioned() {
      int last = outlet.count() - 1;
      while (last >= 0 && outlet.response(last).getResumeToken().isEmpty()) {
        last--;
      }
      return last;
    }
  }

  ThreadedClient(Choice choice, Random random) {
    this.choice = choice;
    this.steady = choice.equals(Choice.ALL.getFirst());
    this.random = random;
    this.projection = ModelClient.PROJECTIONS.get(random.nextInt(ModelClient.PROJECTIONS.size()));
    this.tokens =
        ResumeTokenCodec.of(
            new HistoryId("c", CacheWriter.DEFINITION), choice.selection(), projection);
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
    this.maxResponseBytes = random.nextBoolean() ? 4 << 10 : 4 << 20;
  }

  // ---- while all threads run

  /**
   * Does a random action.
   *
   * @param written an existing version
   */
  void step(ThreadedRun.Gateway gateway, long written) throws ApiException {
    if (!isOpen()) {
      connect(gateway, start(written), random.nextInt(20));
    } else if (random.nextInt(40) == 0) {
      streams.getLast().subscription.transportClosed();
      connect(gateway, start(written), random.nextInt(20));
    } else if (!steady) {
      credit(random.nextInt(4) == 0 ? 0 : random.nextInt(8) == 0 ? ThreadedOutlet.ALL : 3);
    }
  }

  /** Reads everything, and starts again if the stream has ended. */
  void settle(ThreadedRun.Gateway gateway) throws ApiException {
    if (!isOpen()) {
      connect(gateway, new Start(new StartPoint.Snapshot(), null), ThreadedOutlet.ALL);
    }
    if (!streams.getLast().outlet.takesAll()) {
      credit(ThreadedOutlet.ALL);
    }
  }

  boolean isOpen() {
    return !streams.isEmpty() && !streams.getLast().outlet.ended();
  }

  private void credit(int responses) {
    streams.getLast().outlet.credit(responses);
    streams.getLast().subscription.wake();
  }

  private record Start(StartPoint point, @Nullable Place resumed) {}

  private Start start(long written) throws ApiException {
    int kind = random.nextInt(10);
    boolean patches = projection.changeEncoding() == ObjectProjection.ChangeEncoding.PATCH;
    if (kind < 6 && !streams.isEmpty()) {
      int from = random.nextInt(3) == 0 ? random.nextInt(streams.size()) : streams.size() - 1;
      Stream stream = streams.get(from);
      int response = stream.lastPositioned();
      if (response >= 0) {
        return new Start(
            new StartPoint.Token(tokens.check(stream.outlet.response(response).getResumeToken())),
            new Place(from, response));
      }
    } else if (kind == 6 && !patches) {
      return new Start(new StartPoint.Now(), null);
    } else if (kind == 7 && !patches) {
      return new Start(new StartPoint.Version(version(written - random.nextInt(60))), null);
    }
    return new Start(new StartPoint.Snapshot(), null);
  }

  private static ResourceVersion version(long number) {
    return new ResourceVersion(Long.toString(Math.max(10, number)));
  }

  private void connect(ThreadedRun.Gateway gateway, Start start, int credit) throws ApiException {
    TruthCache cache = gateway.caches().get(random.nextInt(gateway.caches().size()));
    StreamSettings settings =
        new StreamSettings(
            lagPolicy,
            expiredPolicy,
            random.nextInt(3) == 0 ? Duration.ofMillis(100) : Duration.ZERO,
            steady ? Duration.ofHours(1) : Duration.ofMillis(100 + random.nextInt(300)),
            maxResponseBytes,
            null,
            null);
    ThreadedOutlet outlet = new ThreadedOutlet(steady ? ThreadedOutlet.ALL : credit);
    Subscription subscription =
        new Subscription(
            gateway.environment(random.nextInt(2)),
            cache.writer.lease(() -> {}),
            new Subscription.Request(
                choice.selection(),
                projection,
                settings,
                start.point(),
                tokens,
                StreamOpened.newBuilder().setHistoryId(tokens.epoch().historyId()).build()),
            outlet);
    streams.add(new Stream(start.point(), start.resumed(), settings, cache, outlet, subscription));
    subscription.open();
  }

  /**
   * Returns whether the client has everything.
   *
   * @param event version of the last change
   * @param written current version
   */
  boolean hasReached(long event, long written) {
    return isOpen() && position() >= (steady ? event : written);
  }

  /** Returns whether a client that always reads has the last change. */
  boolean keepsUpWith(long event) {
    return !steady || !isOpen() || position() >= event;
  }

  private long position() {
    Stream last = streams.getLast();
    int response = last.lastPositioned();
    return response < 0 ? -1 : Long.parseLong(last.outlet.response(response).getResourceVersion());
  }

  void cancel() {
    streams.forEach(stream -> stream.subscription.transportClosed());
  }

  // ---- after all threads are idle

  /** Checks all recorded responses with {@link ModelStream}. */
  void verify(Truth truth, Set<String> met) {
    Map<Place, ModelStream.Held> held = new HashMap<>();
    for (int i = 0; i < streams.size(); i++) {
      Stream stream = streams.get(i);
      assertThat(stream.outlet.failed()).as("%s", stream).isFalse();
      ApiError refusal = stream.outlet.refusal();
      if (refusal != null) {
        met.add(refusal.reason().name());
      }
      ModelStream model =
          new ModelStream(
              new FilteredTruth(truth, choice),
              new SentObjects(truth, projection, stream.settings.maxResponseBytes(), met),
              stream.settings,
              stream.start,
              stream.cache,
              stream.resumed == null
                  ? ModelStream.Held.NOTHING
                  : held.getOrDefault(stream.resumed, ModelStream.Held.NOTHING));
      verify(i, model, held);
      if (i == streams.size() - 1) {
        model.assertUpToDate();
      }
    }
  }

  private void verify(int number, ModelStream model, Map<Place, ModelStream.Held> held) {
    ThreadedOutlet outlet = streams.get(number).outlet;
    for (int i = 0; i < outlet.count(); i++) {
      ListAndWatchResponse response = outlet.response(i);
      try {
        ModelStream.Held now = model.take(response);
        if (now != null) {
          held.put(new Place(number, i), now);
        }
      } catch (Throwable t) {
        throw new AssertionError(
            "response %d of stream %d, %s:%n%s".formatted(i, number, model, response), t);
      }
    }
  }
}
