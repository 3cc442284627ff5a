package io.watchgate.cache;

import io.watchgate.json.KubeObject;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Cluster that answers by a script, call after call, and records the calls. At the end of the
 * script it runs {@code atEnd}.
 */
final class ScriptedUpstream implements Cluster, Upstream {
  final List<String> asked = new ArrayList<>();
  int closed;
  private final Deque<Answer<ItemSink, ListOutcome>> lists = new ArrayDeque<>();
  private final Deque<Answer<WatchSink, WatchOutcome>> streamingLists = new ArrayDeque<>();
  private final Deque<Answer<WatchSink, WatchOutcome>> watches = new ArrayDeque<>();
  private final Deque<Answer<ItemSink, ListOutcome>> listsAt = new ArrayDeque<>();
  private final Deque<Answer<ItemSink, ListOutcome>> metadataLists = new ArrayDeque<>();
  private final Deque<Answer<WatchSink, WatchOutcome>> briefWatches = new ArrayDeque<>();
  private final Deque<ListOutcome> probes = new ArrayDeque<>();
  private Resolution resolution = new Found(CacheWriter.DEFINITION);
  private @Nullable Resolution nextResolution;
  private Runnable atEnd = () -> {};
  private @Nullable Supplier<@Nullable Revision> present;
  private @Nullable AssertionError failure;

  /** Effect of a call on its sink, and its outcome. */
  interface Answer<S, O> extends Function<S, O> {}

  ScriptedUpstream atEnd(Runnable end) {
    atEnd = end;
    return this;
  }

  /** Sets the revision that answers probes and exact lists that are not in the script. */
  ScriptedUpstream holding(Supplier<@Nullable Revision> head) {
    present = head;
    return this;
  }

  ScriptedUpstream listing(Answer<ItemSink, ListOutcome> answer) {
    lists.add(answer);
    return this;
  }

  ScriptedUpstream list(long version, SampleObject... objects) {
    return listing(
        sink -> {
          for (SampleObject object : objects) {
            sink.item(object.bytes());
          }
          return new Listed(Long.toString(version));
        });
  }

  ScriptedUpstream listAt(Answer<ItemSink, ListOutcome> answer) {
    listsAt.add(answer);
    return this;
  }

  ScriptedUpstream listAt(long version, SampleObject... objects) {
    return listAt(
        sink -> {
          for (SampleObject object : objects) {
            sink.item(object.bytes());
          }
          return new Listed(Long.toString(version));
        });
  }

  ScriptedUpstream listMetadata(long version, SampleObject... objects) {
    metadataLists.add(
        sink -> {
          for (SampleObject object : objects) {
            sink.item(object.bytes());
          }
          return new Listed(Long.toString(version));
        });
    return this;
  }

  ScriptedUpstream briefWatch(Answer<WatchSink, WatchOutcome> answer) {
    briefWatches.add(answer);
    return this;
  }

  ScriptedUpstream streamingList(Answer<WatchSink, WatchOutcome> answer) {
    streamingLists.add(answer);
    return this;
  }

  ScriptedUpstream watch(Answer<WatchSink, WatchOutcome> answer) {
    watches.add(answer);
    return this;
  }

  /** Adds a watch that fails without an event. */
  ScriptedUpstream watch(UpstreamFailure failure) {
    return watch(sink -> new WatchOutcome(failure));
  }

  ScriptedUpstream probe(ListOutcome outcome) {
    probes.add(outcome);
    return this;
  }

  ScriptedUpstream defined(Resolution as) {
    resolution = as;
    return this;
  }

  /** Sets the definition after the first request. */
  ScriptedUpstream definedNext(Resolution as) {
    nextResolution = as;
    return this;
  }

  static void send(WatchSink sink, EventType type, SampleObject object) {
    byte[] bytes = object.bytes();
    sink.event(type, bytes, 0, bytes.length);
  }

  @Override
  public ListOutcome list(ItemSink sink) {
    asked.add("list");
    Answer<ItemSink, ListOutcome> answer = lists.poll();
    return answer == null ? new ListFailed(end()) : run(answer, sink);
  }

  @Override
  public WatchOutcome watchList(Duration markerTimeout, WatchSink sink) {
    asked.add("streaming list");
    Answer<WatchSink, WatchOutcome> answer = streamingLists.poll();
    return answer == null
        ? new WatchOutcome(new UpstreamFailure.Unsupported("scripted"))
        : run(answer, sink);
  }

  @Override
  public WatchOutcome watch(String resourceVersion, WatchSink sink) {
    asked.add("watch " + resourceVersion);
    Answer<WatchSink, WatchOutcome> answer = watches.poll();
    return answer == null ? new WatchOutcome(end()) : run(answer, sink);
  }

  @Override
  public ListOutcome listAt(String resourceVersion, Content content, ItemSink sink) {
    asked.add("list " + content.name().toLowerCase(Locale.ROOT) + " at " + resourceVersion);
    Answer<ItemSink, ListOutcome> answer = listsAt.poll();
    Revision held = present == null ? null : present.get();
    if (answer == null && held != null) {
      StateCursor all = held.state().cursor(KeyRange.ALL);
      for (KubeObject object = all.peek(); object != null; object = all.peek()) {
        sink.item(object.bytes());
        all.advance();
      }
      return new Listed(resourceVersion);
    }
    return answer == null ? new ListFailed(end()) : run(answer, sink);
  }

  @Override
  public ListOutcome listMetadata(ItemSink sink) {
    asked.add("list metadata");
    Answer<ItemSink, ListOutcome> answer = metadataLists.poll();
    return answer == null ? new ListFailed(end()) : run(answer, sink);
  }

  @Override
  public void reconnect() {
    asked.add("reconnect");
  }

  @Override
  public WatchOutcome watchBriefly(String resourceVersion, Duration duration, WatchSink sink) {
    asked.add("brief watch " + resourceVersion);
    Answer<WatchSink, WatchOutcome> answer = briefWatches.poll();
    return answer == null ? new WatchOutcome(end()) : run(answer, sink);
  }

  @Override
  public void interrupt() {
    asked.add("cut");
  }

  @Override
  public ListOutcome probe() {
    asked.add("probe");
    ListOutcome outcome = probes.poll();
    Revision held = present == null ? null : present.get();
    if (outcome == null && held != null) {
      return new Listed(held.version().digits());
    }
    return outcome == null
        ? new ListFailed(new UpstreamFailure.Transport("no probe in the script"))
        : outcome;
  }

  /** Runs an answer and records assertion errors, because a reflector survives every exception. */
  private <S, O> O run(Answer<S, O> answer, S sink) {
    try {
      return answer.apply(sink);
    } catch (AssertionError e) {
      failure = e;
      throw e;
    }
  }

  void assertNothingFailed() {
    if (failure != null) {
      throw failure;
    }
  }

  private UpstreamFailure end() {
    atEnd.run();
    return new UpstreamFailure.Transport("the script is over");
  }

  @Override
  public Resolution resolve(TypeReference name) {
    return resolution;
  }

  @Override
  public Resolution refresh(TypeReference name) {
    asked.add("discovery");
    Resolution now = resolution;
    resolution = nextResolution == null ? now : nextResolution;
    return now;
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
  public void close() {
    closed++;
  }
}
