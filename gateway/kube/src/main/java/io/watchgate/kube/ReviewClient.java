package io.watchgate.kube;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.watchgate.auth.AccessAttributes;
import io.watchgate.auth.AccessReviewer;
import io.watchgate.auth.ReviewUnavailableException;
import io.watchgate.auth.TokenReviewer;
import io.watchgate.auth.UserInfo;
import io.watchgate.cache.UpstreamFailure;
import io.watchgate.json.JsonException;
import io.watchgate.labels.LabelRequirement;
import io.watchgate.select.FieldRequirement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Client for TokenReviews and SubjectAccessReviews. It has connections of its own, so that a
 * thousand reviews do not delay a watch. The timeout and the number of concurrent reviews are in
 * {@link KubeSettings.Reviews}. Thread-safe; blocks.
 */
public final class ReviewClient implements AutoCloseable {
  /** Kind of review. */
  public enum Kind {
    TOKEN_REVIEW(
        "authentication.k8s.io", "tokenreviews", "TokenReview", "leave --token-review out"),
    SUBJECT_ACCESS_REVIEW(
        "authorization.k8s.io",
        "subjectaccessreviews",
        "SubjectAccessReview",
        "set --authorization none");

    private final String group;
    private final String plural;
    private final String text;
    private final String without;

    Kind(String group, String plural, String text, String without) {
      this.group = group;
      this.plural = plural;
      this.text = text;
      this.without = without;
    }

    private String version() {
      return group + "/v1";
    }

    private String path() {
      return "apis/" + version() + "/" + plural;
    }

    private String resource() {
      return plural + "." + group;
    }

    /** Returns the advice to disable this kind of review. */
    public String without() {
      return without;
    }

    /** Returns the name as Kubernetes writes it. */
    @Override
    public String toString() {
      return text;
    }
  }

  /** Number of characters by which a token is recognized in a message. */
  private static final int QUOTED_TOKEN_CHARS = 16;

  private final RawApiClient api;

  private ReviewClient(RawApiClient api) {
    this.api = api;
  }

  /**
   * Creates a client, without a request to the apiserver.
   *
   * @throws ConfigException if TLS cannot be set up with the configuration
   */
  public static ReviewClient of(ClientConfig access, KubeSettings settings) throws ConfigException {
    return new ReviewClient(RawApiClient.of(access, settings));
  }

  /**
   * Returns a reviewer with a concurrency limit of its own.
   *
   * @param maxConcurrent maximum number of concurrent reviews
   * @param maxWaiting maximum number of waiting reviews; further ones fail
   */
  public ReviewPool pool(int maxConcurrent, int maxWaiting) {
    return pool(maxConcurrent, maxWaiting, KubeSettings.Reviews.MAX_PERMIT_WAIT);
  }

  /** Returns a reviewer whose reviews wait for a permit for at most that time, for tests. */
  ReviewPool pool(int maxConcurrent, int maxWaiting, Duration maxPermitWait) {
    return new ReviewPool(maxConcurrent, maxWaiting, maxPermitWait);
  }

  /** Reviewer with a concurrency limit that is fair between users. Thread-safe. */
  public final class ReviewPool implements TokenReviewer, AccessReviewer {
    /** Placeholder that no user has as a name. */
    private static final String NOT_KNOWN_YET = "";

    private final FairSemaphore permits;
    private final Duration maxPermitWait;

    private ReviewPool(int maxConcurrent, int maxWaiting, Duration maxPermitWait) {
      this.permits = new FairSemaphore(maxConcurrent, maxWaiting);
      this.maxPermitWait = maxPermitWait;
    }

    @Override
    public Optional<UserInfo> review(String token, List<String> audiences)
        throws ReviewUnavailableException, InterruptedException {
      acquire(NOT_KNOWN_YET);
      try {
        return ReviewClient.this.review(token, audiences);
      } finally {
        permits.release(NOT_KNOWN_YET);
      }
    }

    @Override
    public boolean isAllowed(UserInfo identity, AccessAttributes access)
        throws ReviewUnavailableException, InterruptedException {
      acquire(identity.user());
      try {
        return ReviewClient.this.isAllowed(identity, access);
      } finally {
        permits.release(identity.user());
      }
    }

    private void acquire(String user) throws ReviewUnavailableException, InterruptedException {
      if (!permits.tryAcquire(user, maxPermitWait)) {
        throw new ReviewUnavailableException("too many reviews are waiting for the apiserver");
      }
    }
  }

  private Optional<UserInfo> review(String token, List<String> audiences)
      throws ReviewUnavailableException {
    JsonObject spec = new JsonObject();
    spec.addProperty("token", token);
    if (!audiences.isEmpty()) {
      spec.add("audiences", texts(audiences));
    }
    JsonDocument status;
    try {
      status = post(Kind.TOKEN_REVIEW, spec);
    } catch (ReviewUnavailableException e) {
      throw new ReviewUnavailableException(
          without(token, String.valueOf(e.getMessage())), e.remedy());
    }
    JsonDocument user = status.object("user");
    if (!isAuthenticated(status, audiences) || user.text("username").isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new UserInfo(
              user.text("username"),
              user.exactText("uid"),
              user.exactTexts("groups"),
              user.exactObject("extra").exactTextLists()));
    } catch (JsonException e) {
      throw new ReviewUnavailableException(
          "the answer to a TokenReview has an invalid user: " + e.getMessage());
    }
  }

  /**
   * Returns whether the token is valid for one of the audiences, or for the apiserver itself if
   * there are none. An authenticator without audiences names none, so that the token's audience is
   * unknown; the apiserver accepts such a token too.
   */
  private static boolean isAuthenticated(JsonDocument status, List<String> audiences) {
    try {
      return status.isTrue("authenticated")
          && status.exactText("error").isEmpty()
          && (audiences.isEmpty()
              || status.exactTexts("audiences").stream().anyMatch(audiences::contains));
    } catch (JsonException e) {
      return false;
    }
  }

  /**
   * Removes the token, or its beginning, from a message: proxies in front of the apiserver may
   * quote the request.
   */
  private static String without(String token, String message) {
    int at = message.indexOf(token.substring(0, Math.min(token.length(), QUOTED_TOKEN_CHARS)));
    return at < 0 ? message : message.substring(0, at) + "…";
  }

  private boolean isAllowed(UserInfo identity, AccessAttributes access)
      throws ReviewUnavailableException {
    JsonObject spec = new JsonObject();
    spec.addProperty("user", identity.user());
    spec.addProperty("uid", identity.uid());
    spec.add("groups", texts(identity.groups()));
    JsonObject extra = new JsonObject();
    identity.extra().forEach((key, values) -> extra.add(key, texts(values)));
    spec.add("extra", extra);
    switch (access) {
      case AccessAttributes.ResourceAccess objects ->
          spec.add("resourceAttributes", attributes(objects));
      case AccessAttributes.NonResourceAccess(String path) -> {
        JsonObject attributes = new JsonObject();
        attributes.addProperty("path", path);
        attributes.addProperty("verb", "get");
        spec.add("nonResourceAttributes", attributes);
      }
    }
    JsonDocument status = post(Kind.SUBJECT_ACCESS_REVIEW, spec);
    return isAllowed(status);
  }

  /**
   * Returns whether access is allowed. An evaluationError together with allowed=true is ignored.
   */
  private static boolean isAllowed(JsonDocument status) {
    try {
      var _ = status.exactText("evaluationError");
      return status.isTrue("allowed") && status.isFalse("denied");
    } catch (JsonException e) {
      return false;
    }
  }

  /**
   * Returns the attributes of a review. Selectors only ever narrow: requirements that a review
   * cannot express are left out.
   */
  private static JsonObject attributes(AccessAttributes.ResourceAccess objects) {
    JsonObject attributes = new JsonObject();
    attributes.addProperty("verb", objects.verb().text());
    attributes.addProperty("group", objects.type().group());
    attributes.addProperty("version", objects.type().version());
    attributes.addProperty("resource", objects.type().resource());
    attributes.addProperty("namespace", objects.namespace());
    attributes.addProperty("name", objects.name());
    JsonArray fields = new JsonArray();
    for (FieldRequirement field : objects.fields()) {
      String operator =
          switch (field.operator()) {
            case EQUAL -> "In";
            case NOT_EQUAL -> "NotIn";
          };
      fields.add(requirement(field.field(), operator, List.of(field.value())));
    }
    put(attributes, "fieldSelector", fields);
    JsonArray labels = new JsonArray();
    for (LabelRequirement label : objects.labels()) {
      switch (label.operator()) {
        case IN -> labels.add(requirement(label.key(), "In", label.values()));
        case NOT_IN -> labels.add(requirement(label.key(), "NotIn", label.values()));
        case EXISTS -> labels.add(requirement(label.key(), "Exists", List.of()));
        case ABSENT -> labels.add(requirement(label.key(), "DoesNotExist", List.of()));
        case GREATER, LESS -> {} // a review has no such operator
      }
    }
    put(attributes, "labelSelector", labels);
    return attributes;
  }

  private static void put(JsonObject attributes, String selector, JsonArray requirements) {
    if (!requirements.isEmpty()) {
      JsonObject parsed = new JsonObject();
      parsed.add("requirements", requirements);
      attributes.add(selector, parsed);
    }
  }

  private static JsonObject requirement(String key, String operator, List<String> values) {
    JsonObject requirement = new JsonObject();
    requirement.addProperty("key", key);
    requirement.addProperty("operator", operator);
    if (!values.isEmpty()) {
      requirement.add("values", texts(values));
    }
    return requirement;
  }

  private static JsonArray texts(List<String> texts) {
    JsonArray array = new JsonArray();
    texts.forEach(array::add);
    return array;
  }

  private JsonDocument post(Kind kind, JsonObject spec) throws ReviewUnavailableException {
    JsonObject review = new JsonObject();
    review.addProperty("apiVersion", kind.version());
    review.addProperty("kind", kind.text);
    review.add("spec", spec);
    try {
      byte[] answer =
          api.send(
              RawApiClient.Message.create(kind.path(), review.toString()),
              KubeSettings.Sizes.MAX_REVIEW_BYTES);
      JsonDocument found = JsonDocument.parseExact(answer);
      if (!found.text("kind").equals(kind.text)
          || !found.text("apiVersion").equals(kind.version())) {
        throw new ReviewUnavailableException(
            "the answer to a " + kind + " is no " + kind + " of " + kind.version());
      }
      return found.object("status");
    } catch (KubeException e) {
      throw unanswered(kind, e);
    } catch (JsonException e) {
      throw new ReviewUnavailableException(
          "the answer to a " + kind + " cannot be read: " + e.getMessage());
    }
  }

  private static ReviewUnavailableException unanswered(Kind kind, KubeException e) {
    String problem = String.valueOf(e.getMessage());
    return switch (e.failure()) {
      case UpstreamFailure.Forbidden _ ->
          new ReviewUnavailableException(
              problem + "; grant the gateway create on " + kind.resource(),
              "this gateway lacks the right to create " + kind.resource());
      case UpstreamFailure.TypeGone _ ->
          new ReviewUnavailableException(
              "it has no %s (%s); serve %s there, or %s"
                  .formatted(kind, problem, kind.version(), kind.without),
              "it has no " + kind);
      default -> new ReviewUnavailableException(problem);
    };
  }

  /** Returns whether the apiserver has such reviews; true if it does not answer. Blocks. */
  public boolean has(Kind kind) {
    try {
      var _ =
          api.send(
              RawApiClient.Message.get("apis/" + kind.version()),
              KubeSettings.Sizes.MAX_REVIEW_BYTES);
      return true;
    } catch (KubeException e) {
      return !(e.failure() instanceof UpstreamFailure.TypeGone);
    }
  }

  /** Returns whether the apiserver declares that it is a sandbox of Watchgate. Blocks. */
  public boolean isSandbox() {
    try {
      byte[] version =
          api.send(RawApiClient.Message.get("version"), KubeSettings.Sizes.MAX_REVIEW_BYTES);
      return JsonDocument.parse(version, 0, version.length)
          .text("gitVersion")
          .endsWith("+watchgate");
    } catch (KubeException | JsonException e) {
      return false;
    }
  }

  @Override
  public void close() {
    api.close();
  }
}
