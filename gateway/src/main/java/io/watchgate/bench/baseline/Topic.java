package io.watchgate.bench.baseline;

import io.grpc.netty.shaded.io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * State of one namespace in the limit baseline: a fan-out per event loop, and at most one snapshot.
 * Thread-safe.
 */
final class Topic implements Topics.Listener {
  private final BaselineUpstream upstream;
  private final NamespacedType resources;
  private final List<LoopFanout> fans = new ArrayList<>();
  private @Nullable SnapshotInProgress listing;

  Topic(BaselineUpstream upstream, NamespacedType resources, List<EventLoop> loops, int batch) {
    this.upstream = upstream;
    this.resources = resources;
    for (EventLoop loop : loops) {
      fans.add(new LoopFanout(loop, batch));
    }
  }

  @Override
  public void event(EventLine line) {
    SharedEvent event = SharedEvent.of(line);
    keep(event);
    fans.forEach(fan -> fan.publish(event));
  }

  /**
   * Adds the event to the snapshot. Runs before publishing, so that a stream that is not yet in a
   * fan-out does not miss the event.
   */
  private synchronized void keep(SharedEvent event) {
    if (listing != null && listing.isFresh()) {
      listing.add(event);
    } else {
      listing = null;
    }
  }

  /**
   * Opens a stream, on the event loop of its connection. The stream receives later events from its
   * fan-out, and events since the start of the snapshot from the snapshot. Events in both are
   * recognized by their version.
   */
  LoopFanout join(EncodeOnceStream stream) {
    LoopFanout here = fans.stream().filter(LoopFanout::isHere).findFirst().orElseThrow();
    here.add(stream);
    SnapshotInProgress joined = open(stream);
    var _ =
        joined
            .snapshot()
            .whenCompleteAsync(
                (snapshot, failure) -> {
                  if (failure == null) {
                    stream.begin(snapshot);
                  } else {
                    stream.fail(failure);
                  }
                },
                here.loop());
    return here;
  }

  private synchronized SnapshotInProgress open(EncodeOnceStream stream) {
    SnapshotInProgress usable = listing;
    if (usable == null || !usable.isFresh()) {
      SnapshotInProgress begun = new SnapshotInProgress();
      Thread.ofVirtual().start(() -> begun.make(upstream, resources));
      listing = begun;
      usable = begun;
    }
    stream.open(usable.since());
    return usable;
  }
}
