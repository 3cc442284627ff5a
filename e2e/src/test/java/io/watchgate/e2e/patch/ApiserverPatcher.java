package io.watchgate.e2e.patch;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.KubeException;
import io.watchgate.e2e.kube.Resource;
import java.util.function.Supplier;

/** The apiserver's implementation of patches and replacements. */
record ApiserverPatcher(Cluster cluster, Resource type, String namespace, String name) {
  JsonNode object() {
    return cluster.get(type, namespace, name);
  }

  Outcome patch(String mediaType, String patch) {
    return outcome(() -> cluster.patch(type, namespace, name, mediaType, patch));
  }

  /** Returns the result of a dry-run replacement, with the apiserver's defaults and checks. */
  Outcome replaceDry(JsonNode object) {
    return outcome(() -> cluster.replaceDry(type, namespace, name, object));
  }

  private static Outcome outcome(Supplier<JsonNode> request) {
    try {
      return Outcome.Patched.of(request.get());
    } catch (KubeException e) {
      String said = String.valueOf(e.getMessage());
      if (said.contains("patch: Invalid value") || said.contains("cannot be handled as a")) {
        return new Outcome.NotDecoded(said);
      }
      // A strategic merge patch that the apiserver's code does not handle is an internal error.
      boolean patchItself =
          e.code() == 500
              || said.contains("the server rejected our request due to an error in our request")
              || (e.code() == 400 && !said.contains("the name of the object"));
      return patchItself ? new Outcome.Refused(said) : new Outcome.Invalid(said);
    }
  }
}
