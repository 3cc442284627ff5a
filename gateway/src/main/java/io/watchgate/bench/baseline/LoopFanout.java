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
  private final Queue<SharedEvent> inbox = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean woken = new AtomicBoolean();
  private final List<EncodeOnceStream> ofAll = new ArrayList<>();
  private final Map<String, List<EncodeOnceStream>> ofNode = new HashMap<>();

  LoopFanout(EventLoop loop, int batch) {
    this.loop = loop;
    this.batch = batch;
  }

  boolean isHere() {
    return loop.inEventLoop();
  }

  /** Returns the executor of the event loop. */
  Executor loop() {
    return loop;
  }

  void publish(SharedEvent event) {
    inbox.add(event);
    if (woken.compareAndSet(false, true)) {
      loop.execute(this::fan);
    }
  }

  private void fan() {
    woken.set(false);
    while (true) {
      List<SharedEvent> events = new ArrayList<>(batch);
      SharedEvent event = inbox.poll();
      while (event != null) {
        events.add(event);
        event = events.size() < batch ? inbox.poll() : null;
      }
      if (events.isEmpty()) {
        return;
      }
      offer(events);
    }
  }

  private void offer(List<SharedEvent> events) {
    if (!ofAll.isEmpty()) {
      SharedResponse response = SharedResponse.of(events);
      for (EncodeOnceStream stream : ofAll) {
        stream.offer(events, response);
      }
    }
    if (ofNode.isEmpty()) {
      return;
    }
    for (SharedEvent event : events) {
      List<EncodeOnceStream> selecting = ofNode.get(event.node());
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
        ? ofAll
        : ofNode.computeIfAbsent(stream.node(), node -> new ArrayList<>());
  }
}
