package io.watchgate.e2e.patch;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.e2e.patch.Outcome.Invalid;
import io.watchgate.e2e.patch.Outcome.NotDecoded;
import io.watchgate.e2e.patch.Outcome.Patched;
import io.watchgate.e2e.patch.Outcome.Refused;
import io.watchgate.e2e.patch.RandomMerge.Dialect;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Differential test of patches. The apiserver patches its object, and the gateway's code a copy of
 * it. Then the gateway's outcome is sent to the apiserver as a dry-run replacement, which must have
 * the same answer as the patch. So the apiserver's defaults and checks, which are not part of a
 * patch, apply to both. Usually they change nothing, and then the outcomes themselves must be
 * equal, which is counted. {@code -Dwatchgate.test.args="-Dseed=N -Dpatches=N"} repeats a run, or
 * makes a longer one.
 */
@WithSharedApiserver
class PatchDifferentialTest {
  private static final int PATCHES = Integer.getInteger("patches", 100);
  private static final int MOST_PATCHES = Math.max(1000, PATCHES);
  private static final String NAMESPACE = "patched";

  private static final String CONTAINERS =
      """
      {"containers":[
        {"name":"a","image":"registry.example/a:1","env":[{"name":"a","value":"1"}]},
        {"name":"b","image":"registry.example/b:1","ports":[{"containerPort":80}]}]}
      """;

  private final Map<String, Integer> tally = new TreeMap<>();

  @ParameterizedTest(name = "{0} with {1}")
  @CsvSource({
    "ConfigMap, application/merge-patch+json",
    "ConfigMap, application/json-patch+json",
    "ConfigMap, application/strategic-merge-patch+json",
    "Service, application/merge-patch+json",
    "Service, application/json-patch+json",
    "Service, application/strategic-merge-patch+json",
    "Pod, application/merge-patch+json",
    "Pod, application/json-patch+json",
    "Pod, application/strategic-merge-patch+json",
    "Deployment, application/merge-patch+json",
    "Deployment, application/json-patch+json",
    "Deployment, application/strategic-merge-patch+json",
  })
  void patches_equalApiserver(String kind, String mediaType, Apiserver apiserver) {
    long seed = Long.getLong("seed", System.nanoTime());
    RandomChoice choice = new RandomChoice(seed);
    Resource type = type(kind);
    ApiserverPatcher real = create(apiserver.cluster(), type, mediaType);
    GatewayPatcher own = GatewayPatcher.of(type);
    for (int i = 0; i < PATCHES || (i < MOST_PATCHES && !isEachSeen()); i++) {
      JsonNode before = real.object();
      String patch = patch(choice, kind, mediaType, before);
      Outcome ours = own.patch(before, mediaType, patch);
      Outcome putDry =
          ours instanceof Patched patched ? real.replaceDry(versioned(patched, before)) : ours;
      Outcome theirs = real.patch(mediaType, patch);
      String about =
          "seed %d, patch %d: %s%nhere: %s%nput: %s%nthere: %s%nbefore: %s"
              .formatted(seed, i, patch, ours, putDry, theirs, before);
      switch (theirs) {
        case Refused _ -> assertThat(ours).as(about).isInstanceOf(Refused.class);
        case NotDecoded _ -> assertThat(ours).as(about).isInstanceOf(NotDecoded.class);
        case Invalid _ -> assertThat(putDry).as(about).isInstanceOf(Invalid.class);
        case Patched _ -> assertThat(putDry).as(about).isEqualTo(theirs);
      }
      count(theirs, ours, before);
    }
    System.out.println(kind + ", " + mediaType + ", seed " + seed + ": " + tally);
    assertThat(isEachSeen()).as("%s", tally).isTrue();
  }

  /** Returns whether each outcome occurred; a run of the usual length may have no refused patch. */
  private boolean isEachSeen() {
    int changed = seen("changed");
    return changed > 15
        && seen("changed, and equal without defaults") > changed / 4
        && seen("refused") + seen("not decoded") > 0;
  }

  private int seen(String what) {
    return tally.getOrDefault(what, 0);
  }

  private static String patch(RandomChoice choice, String kind, String mediaType, JsonNode before) {
    JsonNode patch =
        switch (mediaType) {
          case "application/json-patch+json" -> new RandomJsonPatch(choice, before).patch();
          case "application/merge-patch+json" -> new RandomMerge(choice, Dialect.MERGE).patch(kind);
          default -> new RandomMerge(choice, Dialect.STRATEGIC).patch(kind);
        };
    return patch.toString();
  }

  private void count(Outcome theirs, Outcome ours, JsonNode before) {
    String what =
        switch (theirs) {
          case Refused _ -> "refused";
          case NotDecoded _ -> "not decoded";
          case Invalid _ -> "invalid";
          case Patched patched when patched.equals(Patched.of(before)) -> "unchanged";
          case Patched _ -> "changed";
        };
    tally.merge(what, 1, Integer::sum);
    if (ours.equals(theirs)) {
      tally.merge(what + ", and equal without defaults", 1, Integer::sum);
    }
  }

  /**
   * Sets the version of the object from which the patched object was made; a replacement requires
   * it.
   */
  private static JsonNode versioned(Patched patched, JsonNode before) {
    ObjectNode object = patched.object().deepCopy();
    if (object.get("metadata") instanceof ObjectNode metadata) {
      metadata.set("resourceVersion", before.at("/metadata/resourceVersion"));
    }
    return object;
  }

  private static Resource type(String kind) {
    return switch (kind) {
      case "ConfigMap" -> Resource.CONFIGMAPS;
      case "Service" -> new Resource("", "v1", "services", "Service");
      case "Pod" -> Resource.PODS;
      default -> new Resource("apps", "v1", "deployments", "Deployment");
    };
  }

  private static ApiserverPatcher create(Cluster cluster, Resource type, String mediaType) {
    String name = mediaType.replaceAll("application/|-patch.*", "");
    String namespace = NAMESPACE + "-" + type.plural() + "-" + name;
    cluster.createNamespace(namespace);
    String spec =
        switch (type.kind()) {
          case "ConfigMap" -> "{}";
          case "Service" ->
              "{\"ports\":[{\"name\":\"p80\",\"port\":80},{\"name\":\"p81\",\"port\":81}]}";
          case "Pod" -> CONTAINERS;
          default ->
              """
              {"replicas":1,"selector":{"matchLabels":{"app":"x"}},
               "template":{"metadata":{"labels":{"app":"x"}},"spec":%s}}
              """
                  .formatted(CONTAINERS);
        };
    JsonNode object =
        Json.parse(
            """
            {"apiVersion":"%s","kind":"%s","spec":%s,
             "metadata":{"name":"%s","namespace":"%s","labels":{"a":"1"},
                         "finalizers":["x.io/a","x.io/b","x.io/c"]}}
            """
                .formatted(type.apiVersion(), type.kind(), spec, name, namespace));
    cluster.create(type, object);
    return new ApiserverPatcher(cluster, type, namespace, name);
  }
}
