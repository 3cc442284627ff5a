package io.watchgate.e2e.unmodified;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Informer of the oldest or newest client-go, or its RetryWatcher.
 *
 * @param watchList whether an informer begins with a streaming list, not with a list
 */
record GoInformer(GoPrograms.ClientGo version, Form form, boolean watchList)
    implements Informer.Starter {
  /** Form of the objects. */
  enum Form {
    TYPED,
    DYNAMIC,
    METADATA,
    RETRY_WATCHER
  }

  /** Returns the informers of all versions and forms. */
  static List<GoInformer> informers() {
    List<GoInformer> informers = new ArrayList<>();
    for (GoPrograms.ClientGo version : GoPrograms.ClientGo.values()) {
      for (Form form : List.of(Form.TYPED, Form.DYNAMIC, Form.METADATA)) {
        informers.add(new GoInformer(version, form, true));
        informers.add(new GoInformer(version, form, false));
      }
    }
    return informers;
  }

  /** Returns the RetryWatchers of all versions. */
  static List<GoInformer> retryWatchers() {
    return Arrays.stream(GoPrograms.ClientGo.values())
        .map(version -> new GoInformer(version, Form.RETRY_WATCHER, false))
        .toList();
  }

  TriedClient client() {
    return switch (version) {
      case OLDEST ->
          form == Form.RETRY_WATCHER
              ? TriedClient.OLDEST_RETRY_WATCHER
              : TriedClient.OLDEST_CLIENT_GO;
      case NEWEST ->
          form == Form.RETRY_WATCHER
              ? TriedClient.NEWEST_RETRY_WATCHER
              : TriedClient.NEWEST_CLIENT_GO;
    };
  }

  @Override
  public Informer start(Target target, String namespace) throws Exception {
    Informer informer =
        ProgramInformer.start(
            version.build().with(ProgramInformer.watchList(watchList)),
            target,
            namespace,
            form.name().toLowerCase(Locale.ROOT));
    return form == Form.METADATA ? new MetadataInformer(informer) : informer;
  }

  /** Informer whose objects have no data. */
  private record MetadataInformer(Informer informer) implements Informer {
    @Override
    public List<InformerEvent> events() {
      return informer.events();
    }

    @Override
    public Map<String, JsonNode> expected(Map<String, JsonNode> listed) {
      Map<String, JsonNode> metadata = new TreeMap<>();
      listed.forEach(
          (name, object) -> metadata.put(name, ((ObjectNode) object.deepCopy()).putNull("data")));
      return metadata;
    }

    @Override
    public void close() {
      informer.close();
    }
  }
}
