package io.watchgate.e2e.informers;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Writer that patches one pod after the other at a fixed rate until it is ended. Late writes are
 * made up for.
 */
final class PodPatcher {
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

  static PodPatcher start(Pods pods, int rate) {
    PodPatcher patches = new PodPatcher(pods, rate);
    for (int i = 0; i < WRITERS; i++) {
      patches.writers.add(Thread.ofPlatform().name("patches-" + i).start(patches::write));
    }
    return patches;
  }

  private void write() {
    while (!isEnded) {
      long number = begunWrites.getAndIncrement();
      long due = begun + number * pauseNanos;
      while (due - System.nanoTime() > 0) {
        LockSupport.parkNanos(due - System.nanoTime());
      }
      pods.patch((int) (number % pods.count()));
      written.incrementAndGet();
    }
  }

  /** Returns the number of writes that the apiserver has accepted. */
  long written() {
    return written.get();
  }

  /** Ends. Returns once the last write has finished. */
  void end() throws InterruptedException {
    isEnded = true;
    for (Thread writer : writers) {
      writer.join();
    }
  }
}
