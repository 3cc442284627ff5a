package io.watchgate.cache;

import org.jspecify.annotations.Nullable;

/**
 * Commands from other threads that only the reflector may execute. A command interrupts the watch,
 * and the reflector executes it next. Thread-safe. Nothing is queued: a command that is given twice
 * is executed once.
 */
final class ReflectorCommands {
  private final Upstream upstream;
  private @Nullable Relist relist;
  private @Nullable Reached reached;
  private boolean refreshPending;
  private volatile boolean pending;

  ReflectorCommands(Upstream upstream) {
    this.upstream = upstream;
  }

  /** Command to the reflector. */
  sealed interface Command {}

  /**
   * The cached state differs from upstream: list again.
   *
   * @param held revision that differed; a list since then has repaired it
   */
  record Relist(ListReason reason, Revision held) implements Command {}

  /** Command to learn the current version of a quiet type, for which a stream waits. */
  record RefreshPosition() implements Command {}

  /**
   * Nothing happened up to a version: watch from there.
   *
   * @param held state that was compared with upstream
   */
  record Reached(ResourceVersion version, Revision held) implements Command {}

  /**
   * Commands a new list.
   *
   * @param reason one of the reasons of {@link CacheMetrics#listStarted}
   * @param held revision that was compared with upstream
   */
  void relist(ListReason reason, Revision held) {
    synchronized (this) {
      relist = new Relist(reason, held);
      pending = true;
    }
    upstream.interrupt();
  }

  /** Commands a watch from {@code version}, up to which nothing happened. */
  void watchFrom(ResourceVersion version, Revision held) {
    synchronized (this) {
      reached = new Reached(version, held);
      pending = true;
    }
    upstream.interrupt();
  }

  /** Commands to find out whether there was a change up to the present. */
  void refreshPosition() {
    synchronized (this) {
      refreshPending = true;
      pending = true;
    }
    upstream.interrupt();
  }

  /**
   * Returns whether there is a command. A watch checks this at its beginning, because {@link
   * Upstream#interrupt} may have been called before.
   */
  boolean isPending() {
    return pending;
  }

  /**
   * Returns the next command, null if there is none. A relist is first; the reflector drops it if
   * it has listed since.
   */
  synchronized @Nullable Command take() {
    Command next = relist != null ? relist : reached != null ? reached : null;
    if (next instanceof Relist) {
      relist = null;
    } else if (next instanceof Reached) {
      reached = null;
    } else if (refreshPending) {
      refreshPending = false;
      next = new RefreshPosition();
    }
    pending = relist != null || reached != null || refreshPending;
    return next;
  }
}
