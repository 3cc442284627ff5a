package io.watchgate.bench.baseline;

import io.grpc.netty.shaded.io.netty.channel.EventLoop;
import io.watchgate.bench.baseline.BaselineUpstream.NamespacedType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * State of one namespace in the bare baseline: a fan-out per event loop, and at most one snapshot.
 * Thread-safe.
 */
final class Topic implements Topics.Listener {
  private final BaselineUpstream upstream;
  private final NamespacedType resources;
  private final List<LoopFanout> fanouts = new ArrayList<>();
  private @Nullable SnapshotInProgress snapshotInProgress;

  Topic(BaselineUpstream upstream, NamespacedType resources, List<EventLoop> loops, int batch) {
    this.upstream = upstream;
    this.resources = resources;
    for (EventLoop loop : loops) {
      fanouts.add(new LoopFanout(loop, batch));
    }
  }

  @Override
  public void event(EventLine line) {
    SharedEvent event = SharedEvent.of(line);
    addToSnapshot(event);
    fanouts.forEach(fan -> fan.publish(event));
  }

  /**
   * Adds the event to the snapshot. Runs before publishing, so that a stream that is not yet in a
   * fan-out does not miss the event.
   */
  private synchronized void addToSnapshot(SharedEvent event) {
    if (snapshotInProgress != null && snapshotInProgress.isFresh()) {
      snapshotInProgress.add(event);
    } else {
      snapshotInProgress = null;
    }
  }

  /**
   * Opens a stream, on the event loop of its connection. The stream receives later events from its
   * fan-out, and events since the start of the snapshot from the snapshot. Events in both are
   * recognized by their version.
   */
  LoopFanout join(EncodeOnceStream stream) {
    LoopFanout here = fanouts.stream().filter(LoopFanout::isCurrentLoop).findFirst().orElseThrow();
    here.add(stream);
    SnapshotInProgress joined = open(stream);
    var _ =
        joined
            .snapshot()
            .whenCompleteAsync(
                (snapshot, failure) -> {
                  if (failure == null) {
                    stream.startSnapshot(snapshot);
                  } else {
                    stream.fail(failure);
                  }
                },
                here.executor());
    return here;
  }

  private synchronized SnapshotInProgress open(EncodeOnceStream stream) {
    SnapshotInProgress usable = snapshotInProgress;
    if (usable == null || !usable.isFresh()) {
      SnapshotInProgress begun = new SnapshotInProgress();
      Thread.ofVirtual().start(() -> begun.make(upstream, resources));
      snapshotInProgress = begun;
      usable = begun;
    }
    stream.open(usable.eventsSinceStart());
    return usable;
  }
}
