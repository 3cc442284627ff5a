package io.watchgate.cache;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Model of an apiserver and its etcd, for one type: it writes by itself, loses connections, lags,
 * compacts, and is restored from a backup whenever a call fails, so that versions are used again.
 */
final class RestoredCluster implements Cluster, Upstream {
  private final Random random;
  private final VirtualTime time;
  private final Runnable atCall;
  private final Runnable atEnd;
  private final List<NavigableMap<Long, Map<String, SampleObject>>> histories = new ArrayList<>();

  /**
   * True if this server lists exact versions; the next field is the number of versions that it
   * remembers.
   */
  private final boolean exact;

  private final long memory;
  private NavigableMap<Long, Map<String, SampleObject>> now = new TreeMap<>();
  private long watchableFrom;
  private int calls;
  private int uids;
  private final List<Moment> moments = new ArrayList<>();
  int restores;

  /** State of the cluster from a time on. */
  record Moment(
      Instant from, NavigableMap<Long, Map<String, SampleObject>> history, long version) {}

  /**
   * @param calls number of calls after which it runs {@code atEnd}
   * @param atCall task to run at each call
   */
  RestoredCluster(Random random, VirtualTime time, int calls, Runnable atCall, Runnable atEnd) {
    this.atCall = atCall;
    this.random = random;
    this.time = time;
    this.calls = calls;
    this.atEnd = atEnd;
    this.exact = random.nextInt(4) > 0;
    this.memory = random.nextInt(4) > 0 ? 1000 : 5;
    now.put(10L, new TreeMap<>());
    histories.add(now);
    write();
    write();
  }

  /** Returns the histories so far, each with its state at every version. */
  List<NavigableMap<Long, Map<String, SampleObject>>> histories() {
    return histories;
  }

  /** Returns whether it lists every version that it had. */
  boolean remembers() {
    return exact && memory > 100;
  }

  List<Moment> moments() {
    return moments;
  }

  private void note() {
    moments.add(new Moment(time.source().now(), now, version()));
  }

  private Map<String, SampleObject> present() {
    return now.lastEntry().getValue();
  }

  private long version() {
    return now.lastKey();
  }

  private Change write() {
    long next = version() + 1 + random.nextInt(2);
    Map<String, SampleObject> state = new TreeMap<>(present());
    String name = String.valueOf((char) ('a' + random.nextInt(4)));
    SampleObject old = state.get(name);
    SampleObject made = null;
    if (old != null && random.nextInt(3) == 0) {
      state.remove(name);
    } else {
      made = old == null ? SampleObject.of("n", name, next).uid("u" + uids++) : old.at(next);
      state.put(name, made);
    }
    now.put(next, state);
    note();
    return new Change(next, old, made);
  }

  private record Change(long version, @Nullable SampleObject old, @Nullable SampleObject now) {}

  /** Fails a call; anything may happen meanwhile. */
  private UpstreamFailure broken() {
    if (random.nextInt(3) == 0) {
      restores++;
      long backup = Math.max(now.firstKey(), version() - random.nextInt(12));
      NavigableMap<Long, Map<String, SampleObject>> restored =
          new TreeMap<>(now.headMap(now.floorKey(backup), true));
      now = restored;
      histories.add(restored);
      watchableFrom = version();
      note();
    }
    for (int i = random.nextInt(12); i > 0; i--) {
      write();
    }
    time.advance(Duration.ofMillis(random.nextInt(20_000)));
    return switch (random.nextInt(4)) {
      case 0 -> new UpstreamFailure.ServerError("a failure on purpose", Duration.ZERO);
      case 1 -> new UpstreamFailure.Throttled("a failure on purpose", Duration.ZERO);
      default -> new UpstreamFailure.Transport("a failure on purpose");
    };
  }

  private boolean breaks() {
    atCall.run();
    if (--calls <= 0) {
      atEnd.run();
    }
    return random.nextInt(5) == 0;
  }

  private ListOutcome listed(Map<String, SampleObject> state, long version, ItemSink sink) {
    state.values().forEach(object -> sink.item(object.bytes()));
    return new Listed(Long.toString(version));
  }

  @Override
  public ListOutcome list(ItemSink sink) {
    return breaks() ? new ListFailed(broken()) : listed(present(), version(), sink);
  }

  @Override
  public ListOutcome listAt(String resourceVersion, Content content, ItemSink sink) {
    long wanted = Long.parseLong(resourceVersion);
    if (breaks()) {
      return new ListFailed(broken());
    }
    if (!exact) {
      return listed(present(), version(), sink);
    }
    if (wanted > version()) {
      return new ListFailed(new UpstreamFailure.NotYetReached("too large", Duration.ZERO));
    }
    return wanted < version() - memory
        ? new ListFailed(new UpstreamFailure.Expired("compacted"))
        : listed(now.floorEntry(wanted).getValue(), wanted, sink);
  }

  @Override
  public ListOutcome probe() {
    if (breaks()) {
      return new ListFailed(broken());
    }
    boolean lags = random.nextInt(12) == 0;
    return new Listed(Long.toString(lags ? 9 : version()));
  }

  @Override
  public WatchOutcome watchList(Duration markerTimeout, WatchSink sink) {
    return new WatchOutcome(new UpstreamFailure.Unsupported("none here"));
  }

  @Override
  public WatchOutcome watch(String resourceVersion, WatchSink sink) {
    return follow(Long.parseLong(resourceVersion), 20, sink);
  }

  @Override
  public WatchOutcome watchBriefly(String resourceVersion, Duration duration, WatchSink sink) {
    return follow(Long.parseLong(resourceVersion), 1, sink);
  }

  private WatchOutcome follow(long from, int steps, WatchSink sink) {
    if (breaks()) {
      return new WatchOutcome(broken());
    }
    sink.opened();
    if (from < watchableFrom || from < version() - memory) {
      return new WatchOutcome(new UpstreamFailure.Expired("too old"));
    }
    Map<String, SampleObject> sent = now.floorEntry(from).getValue();
    for (var each : now.tailMap(from, false).entrySet()) {
      send(each.getKey(), sent, each.getValue(), sink);
      sent = each.getValue();
    }
    for (int i = random.nextInt(steps); i > 0; i--) {
      time.advance(Duration.ofMillis(random.nextInt(2_000)));
      Map<String, SampleObject> before = present();
      if (random.nextInt(4) > 0) {
        Change change = write();
        if (change.version() > from) {
          send(change.version(), before, present(), sink);
        }
      } else if (version() > from) {
        now.put(version() + 1, present()); // a change of another type
        note();
        sink.bookmark(Long.toString(version()), BookmarkKind.PROGRESS);
      }
    }
    time.advance(Duration.ofSeconds(2));
    return switch (random.nextInt(4)) {
      case 0 -> new WatchOutcome(broken());
      case 1 -> {
        var _ = broken();
        yield new WatchOutcome(null, random.nextBoolean() ? End.EARLY : End.SILENT);
      }
      default -> new WatchOutcome(null);
    };
  }

  private static void send(
      long version,
      Map<String, SampleObject> before,
      Map<String, SampleObject> after,
      WatchSink sink) {
    for (SampleObject object : after.values()) {
      if (object.version().equals(Long.toString(version))) {
        ScriptedUpstream.send(
            sink, before.containsKey(object.name()) ? EventType.MODIFIED : EventType.ADDED, object);
      }
    }
    for (SampleObject object : before.values()) {
      if (!after.containsKey(object.name())) {
        ScriptedUpstream.send(sink, EventType.DELETED, object.at(version));
      }
    }
  }

  @Override
  public void interrupt() {}

  @Override
  public Resolution resolve(TypeReference name) {
    return new Found(CacheWriter.DEFINITION);
  }

  @Override
  public Resolution refresh(TypeReference name) {
    return resolve(name);
  }

  @Override
  public Listing types() {
    return new Listing(List.of(), Map.of(), Optional.empty());
  }

  @Override
  public Upstream open(TypeDefinition definition) {
    return this;
  }

  @Override
  public void close() {}
}
