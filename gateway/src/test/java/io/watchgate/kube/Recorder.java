package io.watchgate.kube;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.watchgate.cache.Upstream;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Sink that records the reports of an upstream. */
final class Recorder implements Upstream.ItemSink, Upstream.WatchSink {
  final List<String> seen = new CopyOnWriteArrayList<>();

  @Override
  public void item(byte[] object) {
    seen.add(new String(object, UTF_8));
  }

  @Override
  public void unreadable(byte[] beginning, String problem) {
    seen.add("item " + problem);
  }

  @Override
  public void unreadable(Upstream.EventType type, byte[] buffer, int from, int to, String problem) {
    seen.add(type + " " + problem);
  }

  @Override
  public void reportIgnored(String problem) {
    seen.add(problem);
  }

  @Override
  public void event(Upstream.EventType type, byte[] buffer, int from, int to) {
    seen.add(type + " " + new String(buffer, from, to - from, UTF_8));
  }

  @Override
  public void bookmark(String resourceVersion, Upstream.BookmarkKind kind) {
    seen.add(kind + " " + resourceVersion);
  }
}
