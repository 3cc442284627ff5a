package io.watchgate.cache;

import org.jspecify.annotations.Nullable;

/**
 * What others found out beside the watch that only the reflector may act on. It has its watch cut,
 * and does it next. Thread-safe; nothing is queued: a demand that was made twice is met once.
 */
final class ReflectorCommands {
  private final Upstream upstream;
  private @Nullable Relist relist;
  private @Nullable Reached reached;
  private boolean position;
  private volatile boolean pending;

  ReflectorCommands(Upstream upstream) {
    this.upstream = upstream;
  }

  /** What to do. */
  sealed interface Command {}

  /**
   * The state is not what upstream has: list anew.
   *
   * @param held what was not; a list since then has mended it
   */
  record Relist(String reason, Revision held) implements Command {}

  /** A stream waits for a version that a quiet type may not come to for a minute. */
  record RefreshPosition() implements Command {}

  /**
   * Nothing happened up to a version: watch from there.
   *
   * @param held the state that was compared with upstream
   */
  record Reached(ResourceVersion version, Revision held) implements Command {}

  /** Thrown out of a watch that was begun after a demand was made. */
  static final class WatchInterrupted extends RuntimeException {
    private static final long serialVersionUID = 1;

    WatchInterrupted() {
      super("the watch gives way to what was asked for", null, false, false);
    }
  }

  /**
   * List anew.
   *
   * @param reason one of those of {@link CacheMetrics#listed}
   * @param held what was compared with upstream
   */
  void relist(String reason, Revision held) {
    synchronized (this) {
      relist = new Relist(reason, held);
      pending = true;
    }
    upstream.cut();
  }

  /** Go on from {@code version}, up to which nothing happened. */
  void reached(ResourceVersion version, Revision held) {
    synchronized (this) {
      reached = new Reached(version, held);
      pending = true;
    }
    upstream.cut();
  }

  /** Find out whether there was a change up to the present. */
  void position() {
    synchronized (this) {
      position = true;
      pending = true;
    }
    upstream.cut();
  }

  /**
   * For a watch that has just been taken up: {@link Upstream#cut} may have come before.
   *
   * @throws WatchInterrupted if there is something to do
   */
  void check() {
    if (pending) {
      throw new WatchInterrupted();
    }
  }

  boolean isPending() {
    return pending;
  }

  /** What to do next, null for nothing. A list, which may turn out not to be due, comes first. */
  synchronized @Nullable Command take() {
    Command next = relist != null ? relist : reached != null ? reached : null;
    if (next instanceof Relist) {
      relist = null;
    } else if (next instanceof Reached) {
      reached = null;
    } else if (position) {
      position = false;
      next = new RefreshPosition();
    }
    pending = relist != null || reached != null || position;
    return next;
  }
}
