package io.watchgate.cli.doctor;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.Upstream;
import io.watchgate.cache.UpstreamFailure;
import io.watchgate.kube.KubeException;
import io.watchgate.kube.RawApiClient;
import io.watchgate.kube.RawApiClient.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Check of the features of an apiserver that a gateway uses, by requests like its own. The watches
 * select no object. Blocks, at most for the timeouts of the requests.
 */
public final class FeatureCheck {
  /** Label that no object has. */
  private static final String NO_OBJECT = "labelSelector=watchgate-doctor-selects-nothing";

  /** Time for a bookmark: an apiserver sends one about 2 s before the end of a watch. */
  private static final int WATCH_SECONDS = 8;

  /** First minor version that answers consistent lists from its cache by default. */
  private static final int CACHED_LISTS_MINOR = 31;

  private static final String GATES =
      "Have its feature gate switched on, or upgrade the apiserver; without it ";

  private final String target;
  private final RawApiClient api;
  private final OptionalInt minor;
  private final List<Finding> findings = new ArrayList<>();

  /**
   * @param minor minor version of Kubernetes 1, if it is known
   */
  FeatureCheck(String target, RawApiClient api, OptionalInt minor) {
    this.target = target;
    this.api = api;
    this.minor = minor;
  }

  /**
   * Returns the findings of lists and watches.
   *
   * @param type type to list and watch; the account has the right
   */
  public List<Finding> ofLists(ApiResource type) {
    String collection =
        (type.group().isEmpty() ? "api/" : "apis/") + type.apiVersion() + "/" + type.resource();
    try {
      Optional<String> version = resourceVersion(collection);
      if (version.isEmpty()) {
        findings.add(
            Finding.problem(
                target,
                "lists",
                "the list of " + type.groupResource() + " has no resourceVersion",
                "No gateway can watch it: name another TYPE. An aggregated API may have none."));
        return findings;
      }
      findings.add(
          Finding.ok(target, "lists", type.groupResource() + " at version " + version.get()));
      addExactList(collection, version.get());
      addStreamingList(collection, version.get(), type);
    } catch (KubeException e) {
      findings.add(ApiserverCheck.problem(target, "lists", e.failure()));
      return findings;
    }
    addCachedLists();
    return findings;
  }

  /** Returns the version of a list; empty if it has none. */
  private Optional<String> resourceVersion(String collection) throws KubeException {
    byte[] answer = api.send(Message.get(collection + "?limit=1"));
    return Optional.of(RawApiClient.textIn(answer, "metadata", "resourceVersion"))
        .filter(version -> version.matches("[0-9]{1,19}"));
  }

  private void addExactList(String collection, String version) throws KubeException {
    String query = "?limit=1&resourceVersion=" + version + "&resourceVersionMatch=Exact";
    Optional<UpstreamFailure> refused = Optional.empty();
    try {
      var _ = api.send(Message.get(collection + query));
    } catch (KubeException e) {
      refused = Optional.of(unsupported(e));
    }
    addOutcome(
        "exact-lists",
        "lists at an exact version (resourceVersionMatch)",
        refused,
        "Upgrade the apiserver to Kubernetes 1.19 or newer: after lost connections a gateway needs"
            + " the state at an exact version, and without it clients get snapshots.");
  }

  private void addStreamingList(String collection, String version, ApiResource type)
      throws KubeException {
    String query =
        "?watch=1&allowWatchBookmarks=true&sendInitialEvents=true"
            + "&resourceVersionMatch=NotOlderThan&timeoutSeconds="
            + WATCH_SECONDS
            + "&"
            + NO_OBJECT;
    Optional<String> line = Optional.empty();
    Optional<UpstreamFailure> refused = Optional.empty();
    try {
      line = api.findLine(Message.get(collection + query), Upstream.INITIAL_EVENTS_END);
    } catch (KubeException e) {
      refused = Optional.of(unsupported(e));
    }
    if (refused.isEmpty() && line.isEmpty()) {
      refused =
          Optional.of(
              new UpstreamFailure.Unsupported("no end of the list within " + WATCH_SECONDS + " s"));
    }
    addOutcome(
        "streaming-lists",
        "streaming lists (WatchList)",
        refused,
        GATES + "the gateway lists by pages, which takes the apiserver more memory.");
    if (line.isPresent()) {
      findings.add(Finding.ok(target, "bookmarks", "bookmarks of watches"));
    } else if (type.isWatchCached()) {
      addBookmarks(collection, version);
    }
  }

  private void addBookmarks(String collection, String version) throws KubeException {
    String query =
        "?watch=1&allowWatchBookmarks=true&resourceVersion="
            + version
            + "&timeoutSeconds="
            + WATCH_SECONDS
            + "&"
            + NO_OBJECT;
    findings.add(
        api.findLine(Message.get(collection + query), "\"BOOKMARK\"").isPresent()
            ? Finding.ok(target, "bookmarks", "bookmarks of watches")
            : Finding.warning(
                target,
                "bookmarks",
                "no bookmark within a watch of " + WATCH_SECONDS + " s",
                "A type that rarely changes may have none for so long: run this again with a TYPE"
                    + " that changes. Without bookmarks an idle watch looks like a dead one."));
  }

  /**
   * Lists do not show whether the feature is on, so the apiserver's metrics are asked, else its
   * version.
   */
  private void addCachedLists() {
    String feature = "consistent lists from the cache (ConsistentListFromCache)";
    String advice = GATES + "each proof that a state is current is a read of etcd.";
    String gate = "kubernetes_feature_enabled{name=\"ConsistentListFromCache\"";
    Optional<String> line;
    try {
      line = api.findLine(Message.get("metrics"), gate);
    } catch (KubeException e) {
      line = Optional.empty();
    }
    boolean isOn =
        line.isPresent() ? line.get().endsWith(" 1") : minor.orElse(0) >= CACHED_LISTS_MINOR;
    String source = line.isPresent() ? ", by its metrics" : ", by its version";
    findings.add(
        isOn
            ? Finding.ok(target, "cached-lists", feature + source)
            : Finding.warning(target, "cached-lists", "no " + feature + source, advice));
  }

  /**
   * Returns the finding about a review of a token that no user has; empty if the account lacks the
   * right, which the check of rights reports.
   */
  public Optional<Finding> ofTokenReview() {
    String review =
        "{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"TokenReview\",\"spec\":{\"token\":"
            + "\"watchgate-doctor\"}}";
    try {
      byte[] answer =
          api.send(Message.create("apis/authentication.k8s.io/v1/tokenreviews", review));
      boolean isReview = RawApiClient.textIn(answer, "kind").equals("TokenReview");
      return Optional.of(
          isReview
              ? Finding.ok(target, "token-review", "tokens are reviewed (TokenReview)")
              : Finding.problem(
                  target,
                  "token-review",
                  "the answer to a TokenReview is none",
                  "Check proxies before the apiserver."));
    } catch (KubeException e) {
      return e.failure() instanceof UpstreamFailure.Forbidden
          ? Optional.empty()
          : Optional.of(ApiserverCheck.problem(target, "token-review", e.failure()));
    }
  }

  /** Returns the failure of a server that does not know the request; any other one is thrown. */
  private static UpstreamFailure unsupported(KubeException e) throws KubeException {
    if (e.failure() instanceof UpstreamFailure.BadRequest) {
      return e.failure();
    }
    throw e;
  }

  private void addOutcome(
      String check, String feature, Optional<UpstreamFailure> refused, String advice) {
    findings.add(
        refused.isEmpty()
            ? Finding.ok(target, check, feature)
            : Finding.warning(target, check, "no " + feature, advice));
  }
}
