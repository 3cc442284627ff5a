package io.watchgate.kube;

import com.google.gson.JsonObject;
import io.watchgate.cache.UpstreamFailure;
import io.watchgate.json.JsonException;

/**
 * Client for SelfSubjectAccessReviews: the rights of the gateway's own account. Thread-safe;
 * blocks.
 */
public final class OwnAccessClient implements AutoCloseable {
  private static final String VERSION = "authorization.k8s.io/v1";
  private static final String KIND = "SelfSubjectAccessReview";

  private final ApiClient api;

  private OwnAccessClient(ApiClient api) {
    this.api = api;
  }

  /**
   * Creates a client, without a request to the apiserver.
   *
   * @throws ConfigException if TLS cannot be set up with the configuration
   */
  public static OwnAccessClient of(ClientConfig access, KubeSettings settings)
      throws ConfigException {
    return new OwnAccessClient(
        ApiClient.of(access, settings.withRequestTimeout(KubeSettings.Reviews.TIMEOUT)));
  }

  /**
   * Returns whether the account has the right.
   *
   * @throws KubeException if the apiserver does not say
   */
  public boolean has(AccessRight right) throws KubeException {
    JsonObject review = new JsonObject();
    review.addProperty("apiVersion", VERSION);
    review.addProperty("kind", KIND);
    review.add("spec", spec(right));
    byte[] answer =
        api.send(
            ApiClient.Message.create(
                "apis/" + VERSION + "/selfsubjectaccessreviews", review.toString()),
            KubeSettings.Sizes.MAX_REVIEW_BYTES);
    try {
      JsonDocument found = JsonDocument.parseExact(answer);
      if (!found.text("kind").equals(KIND) || !found.text("apiVersion").equals(VERSION)) {
        throw new KubeException(
            new UpstreamFailure.Malformed(
                "the answer to a " + KIND + " is no " + KIND + " of " + VERSION));
      }
      JsonDocument status = found.object("status");
      return status.isTrue("allowed") && status.isFalse("denied");
    } catch (JsonException e) {
      throw new KubeException(
          new UpstreamFailure.Malformed(
              "the answer to a " + KIND + " cannot be read: " + e.getMessage()));
    }
  }

  private static JsonObject spec(AccessRight right) {
    JsonObject attributes = new JsonObject();
    attributes.addProperty("verb", right.verb());
    JsonObject spec = new JsonObject();
    switch (right) {
      case AccessRight.OnResource resource -> {
        attributes.addProperty("group", resource.group());
        attributes.addProperty("resource", resource.resource());
        attributes.addProperty("namespace", resource.namespace());
        attributes.addProperty("name", resource.name());
        spec.add("resourceAttributes", attributes);
      }
      case AccessRight.OnPath path -> {
        attributes.addProperty("path", path.path());
        spec.add("nonResourceAttributes", attributes);
      }
    }
    return spec;
  }

  @Override
  public void close() {
    api.close();
  }
}
