package io.watchgate.bench.baseline;

import io.grpc.netty.shaded.io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Streams of one namespace on one event loop. Any thread may publish; all other methods are
 * confined to the event loop, which is woken once for all events published since its last run.
 */
final class LoopFanout {
  private final EventLoop loop;
  private final int batch;
  private final Queue<SharedEvent> queue = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean woken = new AtomicBoolean();
  private final List<EncodeOnceStream> unfilteredStreams = new ArrayList<>();
  private final Map<String, List<EncodeOnceStream>> streamsByNode = new HashMap<>();

  LoopFanout(EventLoop loop, int batch) {
    this.loop = loop;
    this.batch = batch;
  }

  boolean isCurrentLoop() {
    return loop.inEventLoop();
  }

  /** Returns the executor of the event loop. */
  Executor executor() {
    return loop;
  }

  void publish(SharedEvent event) {
    queue.add(event);
    if (woken.compareAndSet(false, true)) {
      loop.execute(this::deliver);
    }
  }

  private void deliver() {
    woken.set(false);
    while (true) {
      List<SharedEvent> events = new ArrayList<>(batch);
      SharedEvent event = queue.poll();
      while (event != null) {
        events.add(event);
        event = events.size() < batch ? queue.poll() : null;
      }
      if (events.isEmpty()) {
        return;
      }
      offer(events);
    }
  }

  private void offer(List<SharedEvent> events) {
    if (!unfilteredStreams.isEmpty()) {
      SharedResponse response = SharedResponse.of(events);
      for (EncodeOnceStream stream : unfilteredStreams) {
        stream.offer(events, response);
      }
    }
    if (streamsByNode.isEmpty()) {
      return;
    }
    for (SharedEvent event : events) {
      List<EncodeOnceStream> selecting = streamsByNode.get(event.node());
      if (selecting != null) {
        List<SharedEvent> one = List.of(event);
        SharedResponse response = SharedResponse.of(one);
        for (EncodeOnceStream stream : selecting) {
          stream.offer(one, response);
        }
      }
    }
  }

  void add(EncodeOnceStream stream) {
    streams(stream).add(stream);
  }

  void remove(EncodeOnceStream stream) {
    streams(stream).remove(stream);
  }

  private List<EncodeOnceStream> streams(EncodeOnceStream stream) {
    return stream.node().isEmpty()
        ? unfilteredStreams
        : streamsByNode.computeIfAbsent(stream.node(), node -> new ArrayList<>());
  }
}
