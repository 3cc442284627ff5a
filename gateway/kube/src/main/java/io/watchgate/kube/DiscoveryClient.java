package io.watchgate.kube;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.UpstreamFailure;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Discovery request for all types of an apiserver: two aggregated documents, or, if the apiserver
 * lacks them (before 1.27, and behind some proxies), one request per group version. One use.
 */
final class DiscoveryClient {
  private static final String AGGREGATED =
      "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
          + "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,"
          + ApiRequest.JSON;

  private final ApiserverAccess server;
  private final UpstreamHttpClient client;
  private final List<DiscoveredType> types = new ArrayList<>();
  private final Set<String> silentGroups = new HashSet<>();
  private int unanswered;

  DiscoveryClient(ApiserverAccess server, UpstreamHttpClient client) {
    this.server = server;
    this.client = client;
  }

  DiscoveredTypes discover() throws KubeException {
    JsonDocument core = get("api", AGGREGATED);
    if (isAggregated(core)) {
      readAggregated(core);
    } else {
      for (String version : core.texts("versions")) {
        groupVersion("", version);
      }
    }
    JsonDocument groups = get("apis", AGGREGATED);
    if (isAggregated(groups)) {
      readAggregated(groups);
    } else {
      legacy(groups);
    }
    if (types.isEmpty()) {
      throw new KubeException(
          new UpstreamFailure.Malformed(
              "discovery: no types at all; is "
                  + server.config().serverUrl()
                  + " the URL of an apiserver?"));
    }
    return new DiscoveredTypes(types, silentGroups);
  }

  private JsonDocument get(String path, String accept) throws KubeException {
    return client.document(server.url(path).build(), "discovery of " + path, accept);
  }

  private static boolean isAggregated(JsonDocument document) {
    return document.text("kind").equals("APIGroupDiscoveryList");
  }

  private void readAggregated(JsonDocument list) {
    for (JsonDocument group : list.objects("items")) {
      String name = group.object("metadata").text("name");
      for (JsonDocument version : group.objects("versions")) {
        if (version.text("freshness").equals("Stale")) {
          silentGroups.add(name);
        }
        for (JsonDocument resource : version.objects("resources")) {
          String kind = resource.object("responseKind").text("kind");
          add(
              name,
              version.text("version"),
              resource.text("resource"),
              kind,
              resource.text("scope").equals("Namespaced"),
              resource.text("singularResource"),
              resource);
        }
      }
    }
  }

  private void legacy(JsonDocument groups) throws KubeException {
    for (JsonDocument group : groups.objects("groups")) {
      String name = group.text("name");
      String preferred = group.object("preferredVersion").text("version");
      if (!preferred.isEmpty()) {
        groupVersion(name, preferred);
      }
      for (JsonDocument version : group.objects("versions")) {
        if (!version.text("version").equals(preferred)) {
          groupVersion(name, version.text("version"));
        }
      }
    }
  }

  private void groupVersion(String group, String version) throws KubeException {
    JsonDocument resources;
    try {
      resources =
          get(
              group.isEmpty() ? "api/" + version : "apis/" + group + "/" + version,
              ApiRequest.JSON);
    } catch (KubeException e) {
      // The apiserver behind one group may be down, hang, or be missing, without an effect on the
      // others.
      if (isFatal(e.failure())) {
        throw e;
      }
      silentGroups.add(group);
      return;
    }
    unanswered = 0;
    for (JsonDocument resource : resources.objects("resources")) {
      add(
          group,
          version,
          resource.text("name"),
          resource.text("kind"),
          resource.isTrue("namespaced"),
          resource.text("singularName"),
          resource);
    }
  }

  /**
   * Returns whether discovery fails. After the second unanswered group in a row, no group is
   * expected to answer.
   */
  private boolean isFatal(UpstreamFailure failure) {
    return switch (failure) {
      case UpstreamFailure.Transport _ -> ++unanswered > 1;
      case UpstreamFailure.Unauthorized _, UpstreamFailure.Throttled _ -> true;
      default -> {
        unanswered = 0;
        yield false;
      }
    };
  }

  private void add(
      String group,
      String version,
      String resource,
      String kind,
      boolean namespaced,
      String singular,
      JsonDocument names) {
    if (resource.isEmpty() || kind.isEmpty() || resource.contains("/")) {
      return; // a subresource, or a resource with nothing else
    }
    ApiResource.Scope scope = namespaced ? ApiResource.Scope.NAMESPACED : ApiResource.Scope.CLUSTER;
    types.add(
        new DiscoveredType(
            new ApiResource(group, version, resource, kind, scope),
            singular,
            names.texts("shortNames"),
            names.texts("verbs")));
  }
}
