package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.watchgate.cache.SampleObject;
import io.watchgate.ops.FanoutCounters;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.stream.Stream;
import jdk.jfr.Recording;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Test that the events of the flight recorder cost deliveries nothing. */
@Tag("slow")
final class RecordedDeliveryTest {
  private static final int STREAMS = 20;
  private static final int CHANGES = 200;
  private static final List<String> EVENTS = List.of("StreamOpened", "Snapshot", "StreamEnded");

  private final CacheUnderTest underTest = new CacheUnderTest();
  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private int version = 20;

  /** Returns the bytes that the thread of the test, which is that of all parts, allocates. */
  private long allocated() {
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < CHANGES; i++) {
      underTest.writer.put(SampleObject.of("n1", "a", 1_000_000 + version++).padding(500));
      underTest.run();
    }
    return threads.getCurrentThreadAllocatedBytes() - before;
  }

  /**
   * The least of some runs: any of them may allocate for something else, such as a larger table.
   */
  private long leastAllocated() {
    return Stream.generate(this::allocated).limit(5).mapToLong(Long::longValue).min().orElseThrow();
  }

  @Test
  void recording_changesNoAllocationOfADelivery() {
    underTest.metrics = new FanoutCounters(new PrometheusRegistry());
    underTest.writer.list(10, SampleObject.of("n1", "a", 5));
    for (int i = 0; i < STREAMS; i++) {
      ControlledResponseSink sink = new ControlledResponseSink();
      sink.onSend = sink.sent::clear;
      sink.subscription = underTest.opened(StreamRequest.EVERYTHING, sink);
    }
    underTest.run();
    leastAllocated();
    long off = leastAllocated();
    long on;
    try (Recording recording = new Recording()) {
      EVENTS.forEach(name -> recording.enable("io.watchgate." + name).withoutThreshold());
      recording.start();
      on = leastAllocated();
    }

    assertThat((double) (on - off) / (STREAMS * CHANGES))
        .as("bytes of a delivery more than %d", off / (STREAMS * CHANGES))
        .isBetween(-2.0, 2.0);
  }
}
