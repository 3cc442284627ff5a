package io.watchgate.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Listener that records updates, for a test to take in order. */
final class RecordingListener implements WatchListener {
  private final BlockingQueue<WatchUpdate> updates = new LinkedBlockingQueue<>();

  @Override
  public void onUpdate(WatchUpdate update) {
    updates.add(update);
  }

  /** Returns the next update, which must have this type. Skips Opened unless it is requested. */
  <T extends WatchUpdate> T next(Class<T> kind) {
    WatchUpdate update = take();
    while (update instanceof WatchUpdate.Opened && kind != WatchUpdate.Opened.class) {
      update = take();
    }
    assertThat(update).isInstanceOf(kind);
    return kind.cast(update);
  }

  /** Returns the next update of this type and skips all others. */
  <T extends WatchUpdate> T until(Class<T> kind) {
    WatchUpdate update = take();
    while (!kind.isInstance(update)) {
      update = take();
    }
    return kind.cast(update);
  }

  private WatchUpdate take() {
    try {
      WatchUpdate update = updates.poll(3, TimeUnit.MINUTES);
      if (update == null) {
        throw new AssertionError("the listener was not called for 3 min");
      }
      return update;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  List<WatchUpdate> rest() {
    List<WatchUpdate> rest = new ArrayList<>();
    updates.drainTo(rest);
    return rest;
  }
}
