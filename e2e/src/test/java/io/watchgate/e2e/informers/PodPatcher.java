package io.watchgate.e2e.informers;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writer that patches one pod after the other at a fixed rate until it is ended. Late writes are
 * made up for.
 */
public final class PodPatcher {
  private static final int WRITERS = 8;

  private final Pods pods;
  private final long begun = System.nanoTime();
  private final long pauseNanos;
  private final AtomicLong begunWrites = new AtomicLong();
  private final AtomicLong written = new AtomicLong();
  private final List<Thread> writers = new ArrayList<>();
  private volatile boolean isEnded;

  private PodPatcher(Pods pods, int rate) {
    this.pods = pods;
    this.pauseNanos = 1_000_000_000L / rate;
  }

  /**
   * Starts the writer.
   *
   * @param rate writes per second
   */
  public static PodPatcher start(Pods pods, int rate) {
    PodPatcher patches = new PodPatcher(pods, rate);
    for (int i = 0; i < WRITERS; i++) {
      patches.writers.add(Thread.ofPlatform().name("patches-" + i).start(patches::write));
    }
    return patches;
  }

  private void write() {
    while (!isEnded) {
      long number = begunWrites.getAndIncrement();
      Pause.until(begun + number * pauseNanos);
      pods.patch((int) (number % pods.count()));
      written.incrementAndGet();
    }
  }

  /** Returns the number of writes that the apiserver has accepted. */
  public long written() {
    return written.get();
  }

  /** Ends. Returns once the last write has finished. */
  public void end() throws InterruptedException {
    isEnded = true;
    for (Thread writer : writers) {
      writer.join();
    }
  }
}
