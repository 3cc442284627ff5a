package io.watchgate.e2e.unmodified;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Informer of the oldest or newest client-go.
 *
 * @param watchList whether it begins with a streaming list, not with a list
 */
record GoInformer(GoPrograms.ClientGo version, Form form, boolean watchList)
    implements Informer.Starter {
  /** Form of the objects. */
  enum Form {
    TYPED,
    DYNAMIC,
    METADATA
  }

  /** Returns the informers of all versions and forms. */
  static List<GoInformer> all() {
    List<GoInformer> all = new ArrayList<>();
    for (GoPrograms.ClientGo version : GoPrograms.ClientGo.values()) {
      for (Form form : Form.values()) {
        all.add(new GoInformer(version, form, true));
        all.add(new GoInformer(version, form, false));
      }
    }
    return all;
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
