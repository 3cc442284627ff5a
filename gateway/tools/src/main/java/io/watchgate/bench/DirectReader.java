package io.watchgate.bench;

import io.watchgate.kube.RawAnswer;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** A watch at the apiserver, read line by line on a thread of its own. */
final class DirectReader implements Runnable {
  private static final int FIRST_CAPACITY = 16 << 10;

  // Offset of the event type in a line: every apiserver writes the type first.
  private static final int TYPE_AT = 9;

  private final RawAnswer stream;
  private final DeliveryTracker tracker;
  private final LatencyRecorder recorder;
  private final WriteStamp writeStamp = new WriteStamp();
  private byte[] bytes = new byte[FIRST_CAPACITY];
  private volatile boolean closing;
  private volatile boolean ended;

  DirectReader(RawAnswer stream, DeliveryTracker tracker, LatencyRecorder recorder) {
    this.stream = stream;
    this.tracker = tracker;
    this.recorder = recorder;
  }

  @Override
  public void run() {
    int held = 0;
    try (stream) {
      InputStream body = stream.body();
      int read = body.read(bytes, 0, bytes.length);
      while (read >= 0) {
        int seen = held;
        held += read;
        held = processLines(seen, held);
        if (held == bytes.length) {
          bytes = Arrays.copyOf(bytes, 2 * bytes.length);
        }
        read = body.read(bytes, held, bytes.length - held);
      }
    } catch (IOException e) {
      // The watch has ended, see below.
    }
    ended = !closing;
  }

  /**
   * Processes all complete lines; the first {@code seen} bytes contain no line end. Returns the
   * number of bytes that remain.
   */
  private int processLines(int seen, int held) {
    int begin = 0;
    for (int at = seen; at < held; at++) {
      if (bytes[at] == '\n') {
        processLine(begin, at);
        begin = at + 1;
      }
    }
    System.arraycopy(bytes, begin, bytes, 0, held - begin);
    return held - begin;
  }

  private void processLine(int from, int to) {
    recorder.recordResponse(to - from);
    byte type = to - from > TYPE_AT ? bytes[from + TYPE_AT] : 0;
    if (type == 'B') {
      return; // a bookmark
    }
    if ((type == 'A' || type == 'M') && writeStamp.find(bytes, from, to)) {
      tracker.recordChange(writeStamp.number());
      recorder.recordDelivery(writeStamp.scheduledNanos());
    } else {
      tracker.recordUnexpected();
    }
  }

  LatencyRecorder recorder() {
    return recorder;
  }

  DeliveryTracker tracker() {
    return tracker;
  }

  boolean hasEnded() {
    return ended;
  }

  void close() {
    closing = true;
    stream.close();
  }
}
