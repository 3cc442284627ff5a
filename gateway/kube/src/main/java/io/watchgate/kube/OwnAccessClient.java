package io.watchgate.kube;

import com.google.gson.JsonObject;
import io.watchgate.cache.UpstreamFailure;
import io.watchgate.json.JsonException;
import java.util.Optional;

/**
 * Client for reviews of the gateway's own account: its name (SelfSubjectReview) and its rights
 * (SelfSubjectAccessReview). Thread-safe; blocks.
 */
public final class OwnAccessClient implements AutoCloseable {
  private static final Review NAME =
      new Review("authentication.k8s.io/v1", "SelfSubjectReview", "selfsubjectreviews");

  private static final Review RIGHT =
      new Review("authorization.k8s.io/v1", "SelfSubjectAccessReview", "selfsubjectaccessreviews");

  private final RawApiClient api;

  private record Review(String version, String kind, String resource) {}

  private OwnAccessClient(RawApiClient api) {
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
        RawApiClient.of(access, settings.withRequestTimeout(KubeSettings.Reviews.TIMEOUT)));
  }

  /**
   * Returns the user name of the account; empty if the apiserver is older than 1.28 or does not let
   * the account ask.
   *
   * @throws KubeException if the apiserver does not say
   */
  public Optional<String> userName() throws KubeException {
    try {
      JsonDocument status = status(NAME, new JsonObject());
      return Optional.of(status.object("userInfo").text("username"))
          .filter(name -> !name.isEmpty());
    } catch (KubeException e) {
      return switch (e.failure()) {
        case UpstreamFailure.TypeGone _, UpstreamFailure.Forbidden _ -> Optional.empty();
        default -> throw e;
      };
    }
  }

  /**
   * Returns whether the account has the right.
   *
   * @throws KubeException if the apiserver does not say
   */
  public boolean has(AccessRight right) throws KubeException {
    JsonObject question = new JsonObject();
    question.add("spec", spec(right));
    JsonDocument status = status(RIGHT, question);
    return status.isTrue("allowed") && status.isFalse("denied");
  }

  private JsonDocument status(Review review, JsonObject question) throws KubeException {
    question.addProperty("apiVersion", review.version);
    question.addProperty("kind", review.kind);
    byte[] answer =
        api.send(
            RawApiClient.Message.create(
                "apis/" + review.version + "/" + review.resource, question.toString()),
            KubeSettings.Sizes.MAX_REVIEW_BYTES);
    try {
      JsonDocument found = JsonDocument.parseExact(answer);
      if (!found.text("kind").equals(review.kind)
          || !found.text("apiVersion").equals(review.version)) {
        throw new KubeException(
            new UpstreamFailure.Malformed(
                "the answer to a "
                    + review.kind
                    + " is no "
                    + review.kind
                    + " of "
                    + review.version));
      }
      return found.object("status");
    } catch (JsonException e) {
      throw new KubeException(
          new UpstreamFailure.Malformed(
              "the answer to a " + review.kind + " cannot be read: " + e.getMessage()));
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
