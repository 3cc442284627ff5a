package io.watchgate.e2e.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.DirectEvent;
import io.watchgate.e2e.kube.DirectWatch;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/** Log of one watch's events, in order and masked. */
final class WatchLog implements AutoCloseable, DirectWatch.Listener {
  private final List<Seen> seen = new CopyOnWriteArrayList<>();
  private final DirectWatch watch;
  private volatile boolean listed;

  /** A change, or LISTED for an initial object. */
  record Seen(String type, JsonNode object) {
    String name() {
      return object.at("/metadata/name").asText();
    }
  }

  WatchLog(Cluster cluster, Resource type, String namespace, Map<String, String> selectors) {
    watch = DirectWatch.start(cluster, type, namespace, selectors, this);
  }

  @Override
  public void listed(long resourceVersion, List<JsonNode> objects) {
    if (listed) {
      seen.add(new Seen("LISTED ANEW", Json.object()));
    }
    objects.forEach(object -> seen.add(new Seen("LISTED", MaskedJson.of(object))));
    listed = true;
  }

  @Override
  public void changed(DirectEvent event) {
    seen.add(new Seen(event.change().name(), MaskedJson.of(event.object())));
  }

  boolean isListed() {
    return listed;
  }

  List<Seen> seen() {
    return seen;
  }

  /** Returns whether a change of that object was received. */
  boolean saw(String name) {
    return seen.stream().anyMatch(it -> it.name().equals(name));
  }

  @Override
  public void close() {
    watch.close();
  }
}
