package io.watchgate.bench.baseline;

import io.watchgate.kube.KubeException;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.Selection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * What is watched upstream: each namespace and type from the first stream for it on, until the
 * process ends. Thread-safe; the first stream of a topic waits for the apiserver.
 *
 * @param <T> who is told
 */
final class Topics<T extends Topics.Listener> {
  private static final String NODE = "spec.nodeName=";

  private final BaselineUpstream upstream;
  private final Function<NamespacedType, T> make;
  private final Map<NamespacedType, T> open = new HashMap<>();

  /** Told of each event on the thread that reads the watch. */
  interface Listener {
    void event(EventLine line);
  }

  Topics(BaselineUpstream upstream, Function<NamespacedType, T> make) {
    this.upstream = upstream;
    this.make = make;
  }

  /** The topic of a request, whose selectors are not looked at but for {@link #node}. */
  synchronized T of(ListAndWatchRequest request) throws KubeException {
    Selection selection = request.getSelection();
    String namespace = selection.getNamespacesCount() == 0 ? "default" : selection.getNamespaces(0);
    NamespacedType wanted =
        new NamespacedType(namespace, selection.getResourceType().getResource());
    T topic = open.get(wanted);
    if (topic == null) {
      topic = make.apply(wanted);
      upstream.watch(wanted, request.getMinimumResourceVersion(), topic);
      open.put(wanted, topic);
    }
    return topic;
  }

  /** The node whose pods a request selects; empty if none. */
  static String node(ListAndWatchRequest request) {
    String selector = request.getSelection().getFieldSelector();
    return selector.startsWith(NODE) ? selector.substring(NODE.length()) : "";
  }
}
