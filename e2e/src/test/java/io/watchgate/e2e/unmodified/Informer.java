package io.watchgate.e2e.unmodified;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
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
    /** Informer of fabric8 that begins with a streaming list. */
    FABRIC8_WITH_WATCH_LIST,
    OFFICIAL;

    TriedClient client() {
      return switch (this) {
        case CLIENT_GO, CLIENT_GO_WITH_LIST -> TriedClient.CLIENT_GO;
        case FABRIC8 -> TriedClient.FABRIC8;
        case FABRIC8_WITH_WATCH_LIST -> TriedClient.FABRIC8_WITH_WATCH_LIST;
        case OFFICIAL -> TriedClient.OFFICIAL_JAVA;
      };
    }

    Informer start(Target target, String namespace) throws Exception {
      return switch (this) {
        case CLIENT_GO -> ProgramInformer.ofClientGo(true, target, namespace);
        case CLIENT_GO_WITH_LIST -> ProgramInformer.ofClientGo(false, target, namespace);
        case FABRIC8 -> Fabric8Informer.start(false, target, namespace);
        case FABRIC8_WITH_WATCH_LIST -> Fabric8Informer.start(true, target, namespace);
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

  /** {@code synced}, {@code add first 123}: the story with the versions of the objects. */
  default List<String> versions() {
    List<String> versions = new ArrayList<>();
    for (InformerEvent event : events()) {
      String version = event.object().at("/metadata/resourceVersion").asText();
      versions.add((event.what() + " " + event.name() + " " + version).strip());
    }
    return versions;
  }

  /**
   * Returns {@link #versions} after the creation of an object that was notified of; of each object
   * by itself if the order of objects is not that of the changes.
   */
  default List<String> versionsAfter(String name) {
    List<String> versions = versions();
    List<String> after =
        new ArrayList<>(versions.subList(story().indexOf("add " + name), versions.size()));
    if (!ordersObjects()) {
      after.sort(Comparator.comparing(line -> line.split(" ", -1)[1]));
    }
    return after;
  }

  /**
   * Returns the state by name.
   *
   * @throws AssertionError if an object is added twice, or changed or deleted without being added,
   *     or if its version goes back
   */
  default Map<String, JsonNode> state() {
    Map<String, JsonNode> state = new TreeMap<>();
    Map<String, Long> versions = new HashMap<>();
    for (InformerEvent event : events()) {
      String name = event.name();
      if (event.what().equals("synced")) {
        continue;
      }
      assertThat(state.containsKey(name))
          .as("%s has an object before %s %s: %s", this, event.what(), name, story())
          .isEqualTo(!event.what().equals("add"));
      long version = event.object().at("/metadata/resourceVersion").asLong();
      assertThat(version)
          .as("%s has a version of %s after %s %s", this, name, event.what(), versions)
          .isGreaterThanOrEqualTo(versions.getOrDefault(name, 0L));
      versions.put(name, version);
      if (event.what().equals("delete")) {
        state.remove(name);
      } else {
        state.put(name, LabeledMaps.essence(event.object()));
      }
    }
    return state;
  }
}
