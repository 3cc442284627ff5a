package io.watchgate.bench.baseline;

import io.watchgate.bench.baseline.BaselineUpstream.NamespacedType;
import io.watchgate.kube.KubeException;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.Selection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * Watches of the apiserver, one per namespace and type. A watch starts with the first stream of its
 * topic and stays open until the process ends. Thread-safe; the first stream of a topic blocks for
 * the apiserver.
 *
 * @param <T> listener for the events of a topic
 */
final class Topics<T extends Topics.Listener> {
  private static final String NODE = "spec.nodeName=";

  private final BaselineUpstream upstream;
  private final Function<NamespacedType, T> factory;
  private final Map<NamespacedType, T> topics = new HashMap<>();

  /** Listener that is called for each event on the thread that reads the watch. */
  interface Listener {
    void event(EventLine line);
  }

  Topics(BaselineUpstream upstream, Function<NamespacedType, T> factory) {
    this.upstream = upstream;
    this.factory = factory;
  }

  /** Returns the topic of a request. Selectors are ignored, except by {@link #node}. */
  synchronized T of(ListAndWatchRequest request) throws KubeException {
    Selection selection = request.getSelection();
    String namespace = selection.getNamespacesCount() == 0 ? "default" : selection.getNamespaces(0);
    NamespacedType wanted =
        new NamespacedType(namespace, selection.getResourceType().getResource());
    T topic = topics.get(wanted);
    if (topic == null) {
      topic = factory.apply(wanted);
      upstream.watch(wanted, request.getMinimumResourceVersion(), topic);
      topics.put(wanted, topic);
    }
    return topic;
  }

  /** Returns the node whose pods a request selects; empty if it selects none. */
  static String node(ListAndWatchRequest request) {
    String selector = request.getSelection().getFieldSelector();
    return selector.startsWith(NODE) ? selector.substring(NODE.length()) : "";
  }
}
