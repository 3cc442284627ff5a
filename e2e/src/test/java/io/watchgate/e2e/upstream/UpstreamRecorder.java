package io.watchgate.e2e.upstream;

import io.watchgate.cache.Upstream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Recorder of an upstream's callbacks, which ends the call at a limit. */
final class UpstreamRecorder implements Upstream.ItemSink, Upstream.WatchSink {
  /** Ends the call from a callback. */
  enum Enough implements Upstream.Stop {
    ENOUGH
  }

  final List<String> objects = new ArrayList<>();
  String version = "";
  private final Runnable onFirst;

  UpstreamRecorder() {
    this(() -> {});
  }

  UpstreamRecorder(Runnable onFirst) {
    this.onFirst = onFirst;
  }

  @Override
  public void item(byte[] object) {
    objects.add(new String(object, StandardCharsets.UTF_8));
    if (objects.size() == 1) {
      onFirst.run();
    }
  }

  @Override
  public Upstream.SinkResult event(Upstream.EventType type, byte[] buffer, int from, int to) {
    objects.add(new String(buffer, from, to - from, StandardCharsets.UTF_8));
    return Upstream.SinkResult.CONTINUE;
  }

  /** Called at the end of a streaming list. */
  @Override
  public Upstream.SinkResult bookmark(String resourceVersion, Upstream.BookmarkKind kind) {
    if (kind == Upstream.BookmarkKind.INITIAL_EVENTS_END) {
      version = resourceVersion;
      return Enough.ENOUGH;
    }
    return Upstream.SinkResult.CONTINUE;
  }
}
