package io.watchgate.e2e.unmodified;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Third-party informer on the config maps of a namespace with {@code app=web}. */
interface Informer extends AutoCloseable {

  /** Returns the notifications so far, in order. */
  List<InformerEvent> events();

  @Override
  void close();

  /** Function that starts an informer. */
  interface Starter {
    Informer start(Target target, String namespace) throws Exception;
  }

  /** Library of the informer. */
  enum Kind {
    CLIENT_GO,
    /** Informer of client-go before 0.35, with a list and then a watch. */
    CLIENT_GO_WITH_LIST,
    FABRIC8,
    OFFICIAL;

    Informer start(Target target, String namespace) throws Exception {
      return switch (this) {
        case CLIENT_GO -> ProgramInformer.ofClientGo(target, namespace, Map.of());
        case CLIENT_GO_WITH_LIST ->
            ProgramInformer.ofClientGo(target, namespace, ProgramInformer.WITH_LIST);
        case FABRIC8 -> Fabric8Informer.start(target, namespace);
        case OFFICIAL -> OfficialInformer.start(target, namespace);
      };
    }
  }

  /**
   * One notification.
   *
   * @param what add, update, delete, synced
   * @param object a missing node for synced
   */
  record InformerEvent(String what, JsonNode object) {
    String name() {
      return object.at("/metadata/name").asText();
    }
  }

  /** Returns whether notifications of different objects come in the order of the changes. */
  default boolean ordersObjects() {
    return true;
  }

  /** Returns what the state must be, if this is the server's. */
  default Map<String, JsonNode> expected(Map<String, JsonNode> listed) {
    return listed;
  }

  /** {@code add first}, {@code synced}. */
  default List<String> story() {
    List<String> story = new ArrayList<>();
    for (InformerEvent event : events()) {
      story.add((event.what() + " " + event.name()).strip());
    }
    return story;
  }

  /** Returns the state by name. */
  default Map<String, JsonNode> state() {
    Map<String, JsonNode> state = new TreeMap<>();
    for (InformerEvent event : events()) {
      switch (event.what()) {
        case "add", "update" -> state.put(event.name(), LabeledMaps.essence(event.object()));
        case "delete" -> state.remove(event.name());
        default -> {}
      }
    }
    return state;
  }
}
