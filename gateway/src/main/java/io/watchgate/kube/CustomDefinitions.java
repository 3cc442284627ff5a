package io.watchgate.kube;

import io.watchgate.cache.ResourceType;
import io.watchgate.cache.UpstreamFailure;
import io.watchgate.json.JsonException;
import io.watchgate.json.ListReader;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;

/**
 * The CustomResourceDefinitions behind types, remembered for a while. A type without one is built
 * in, or of an aggregated apiserver.
 *
 * <p>A definition that may not be read is an error: without its uid a type that was deleted and
 * created anew would pass for the old one, and without its selectable fields selectors would be
 * refused that the apiserver takes. Not thread-safe.
 */
final class CustomDefinitions {
  private static final String PATH = "apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  private static final int PAGE = 50;

  /**
   * The groups with a dot that kube-apiserver itself serves. None of their types is custom, so none
   * needs asking for, nor the right to. (A group without a dot cannot be a custom one.)
   */
  private static final Set<String> BUILT_IN =
      Set.of(
          "admissionregistration.k8s.io",
          "apiextensions.k8s.io",
          "apiregistration.k8s.io",
          "authentication.k8s.io",
          "authorization.k8s.io",
          "certificates.k8s.io",
          "coordination.k8s.io",
          "discovery.k8s.io",
          "events.k8s.io",
          "flowcontrol.apiserver.k8s.io",
          "internal.apiserver.k8s.io",
          "networking.k8s.io",
          "node.k8s.io",
          "rbac.authorization.k8s.io",
          "resource.k8s.io",
          "scheduling.k8s.io",
          "storage.k8s.io",
          "storagemigration.k8s.io");

  private final ApiServer server;
  private final ApiConnection connection;
  private final LongSupplier nanoTime;
  private final Map<String, Held> held = new HashMap<>();
  private @Nullable Long allReadAt;
  private @Nullable Long allRefusedAt;
  private @Nullable KubeException unreachable;
  private long unreachableAt;

  /** A definition, that there is none, or that it may not be read. */
  private record Held(
      @Nullable CustomDefinition definition, @Nullable KubeException refused, long readAt) {}

  CustomDefinitions(ApiServer server, ApiConnection connection, LongSupplier nanoTime) {
    this.server = server;
    this.connection = connection;
    this.nanoTime = nanoTime;
  }

  /**
   * The definition of a type, null if it has none.
   *
   * @param notBefore what was read before this moment does not count
   * @param namedAt when discovery named the type: that there is no definition does not count if it
   *     was found out before
   * @param arrived when the caller began to wait: if the apiserver was out of reach since, it is
   *     not tried again
   */
  @Nullable CustomDefinition of(ResourceType type, long notBefore, long namedAt, long arrived)
      throws KubeException {
    if (!type.group().contains(".") || BUILT_IN.contains(type.group())) {
      return null;
    }
    String name = type.groupResource();
    Held known = held.get(name);
    if (known != null && known.readAt - notBefore >= 0) {
      if (known.refused != null) {
        throw known.refused;
      }
      if (known.definition != null || known.readAt - namedAt >= 0) {
        return known.definition;
      }
    }
    if (isSince(allReadAt, notBefore) && isSince(allReadAt, namedAt)) {
      return null;
    }
    if (unreachable != null
        && (unreachableAt - arrived > 0 || (known != null && unreachableAt - notBefore > 0))) {
      throw unreachable;
    }
    return readAndHold(name);
  }

  private @Nullable CustomDefinition readAndHold(String name) throws KubeException {
    long now = nanoTime.getAsLong();
    try {
      CustomDefinition definition = read(name);
      held.put(name, new Held(definition, null, now));
      unreachable = null;
      return definition;
    } catch (KubeException e) {
      switch (e.failure()) {
        case UpstreamFailure.Forbidden forbidden -> held.put(name, new Held(null, e, now));
        case UpstreamFailure.Transport _, UpstreamFailure.Throttled _ -> {
          unreachable = e;
          unreachableAt = nanoTime.getAsLong();
        }
        default -> {}
      }
      throw e;
    }
  }

  /**
   * Forgets the definitions of all other types: one that discovery has ceased to name, and names
   * again, was made anew.
   */
  void keepOnly(Set<String> groupResources) {
    held.keySet().retainAll(groupResources);
  }

  /** The definition that was read last, however long ago; empty if there was none. */
  Optional<CustomDefinition> lastOf(ResourceType type) {
    Held known = held.get(type.groupResource());
    return known == null ? Optional.empty() : Optional.ofNullable(known.definition);
  }

  private @Nullable CustomDefinition read(String name) throws KubeException {
    String what = "reading the CustomResourceDefinition " + name;
    int limit = server.settings().sizes().object();
    try {
      return CustomDefinition.of(
          connection.get(
              request(server.url(PATH).addPathSegment(name).build(), what),
              (body, call) -> Document.read(body, limit)));
    } catch (KubeException e) {
      return switch (e.failure()) {
        case UpstreamFailure.TypeGone none -> null;
        case UpstreamFailure.Forbidden forbidden ->
            throw new KubeException(
                new UpstreamFailure.Forbidden(
                    forbidden.message()
                        + "; grant the gateway get and list on customresourcedefinitions of"
                        + " apiextensions.k8s.io"));
        default -> throw e;
      };
    }
  }

  /**
   * Reads all of them, so that many types cost few requests. Where that may not be, they are read
   * one by one when they are asked for.
   */
  void readAllUnlessSince(long notBefore) throws KubeException {
    if (isSince(allReadAt, notBefore) || isSince(allRefusedAt, notBefore)) {
      return;
    }
    long now = nanoTime.getAsLong();
    Map<String, Held> all = new HashMap<>();
    try {
      readAll(all, now);
    } catch (KubeException e) {
      if (e.failure() instanceof UpstreamFailure.Forbidden) {
        allRefusedAt = now;
        return;
      }
      throw e;
    }
    held.clear();
    held.putAll(all);
    allReadAt = now;
  }

  private static boolean isSince(@Nullable Long moment, long notBefore) {
    return moment != null && moment - notBefore >= 0;
  }

  private void readAll(Map<String, Held> all, long now) throws KubeException {
    String token = "";
    do {
      HttpUrl.Builder url = server.url(PATH).addQueryParameter("limit", Integer.toString(PAGE));
      if (!token.isEmpty()) {
        url.addQueryParameter("continue", token);
      }
      token =
          connection
              .get(
                  request(url.build(), "listing CustomResourceDefinitions"),
                  (body, call) -> page(body, all, now))
              .continueToken();
    } while (!token.isEmpty());
  }

  private ListReader.ListMetadata page(InputStream body, Map<String, Held> all, long now)
      throws IOException, JsonException {
    ListReader reader =
        new ListReader(
            body,
            "apiextensions.k8s.io/v1",
            "CustomResourceDefinition",
            server.settings().sizes().object());
    List<JsonException> broken = new ArrayList<>();
    ListReader.ListMetadata end =
        reader.read(
            item -> {
              try {
                CustomDefinition definition =
                    CustomDefinition.of(Document.parse(item, 0, item.length));
                all.put(definition.name(), new Held(definition, null, now));
              } catch (JsonException e) {
                broken.add(e);
              }
            });
    if (!broken.isEmpty()) {
      throw broken.getFirst();
    }
    return end;
  }

  private ApiRequest request(HttpUrl url, String what) {
    return new ApiRequest(
        url,
        what,
        ApiRequest.JSON,
        ApiRequest.Encoding.ANY,
        server.settings().timeouts().request(),
        server.settings().timeouts().request());
  }
}
