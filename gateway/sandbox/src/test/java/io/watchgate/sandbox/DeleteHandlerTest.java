package io.watchgate.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import io.watchgate.cache.Revision;
import io.watchgate.http.StatusException;
import io.watchgate.http.WriteRequest.Method;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of deletions, as watches receive them. */
final class DeleteHandlerTest {
  private static final String MAPS = "/api/v1/namespaces/shop/configmaps";
  private static final String PODS = "/api/v1/namespaces/shop/pods";
  private static final String NAMESPACES = "/api/v1/namespaces";
  private static final String POD =
      """
      {"metadata":{"name":"p"},"spec":{"nodeName":"%s","containers":[{"name":"c","image":"i"}]}}\
      """;

  private final SandboxUnderTest sandbox = new SandboxUnderTest();

  DeleteHandlerTest() throws StatusException {
    sandbox.post(NAMESPACES, "{\"metadata\":{\"name\":\"shop\"}}");
  }

  @AfterEach
  void close() {
    sandbox.close();
  }

  @Test
  void podOnNode_isMarkedThenRemoved() throws StatusException {
    Revision before = sandbox.head(PODS);
    sandbox.post(PODS, POD.formatted("n1"));
    sandbox.delete(PODS + "/p");
    sandbox.delete(PODS + "/p");
    assertThat(sandbox.since(before)).containsExactly("+shop/p", "~shop/p");
    assertThat(JsonTree.text(sandbox.get(PODS + "/p"), "metadata", "deletionTimestamp"))
        .isEqualTo("2026-01-01T00:00:30Z");

    sandbox.delete(PODS + "/p?gracePeriodSeconds=0");
    assertThat(sandbox.since(before)).containsExactly("+shop/p", "~shop/p", "~shop/p", "-shop/p");
  }

  @Test
  void gracePeriod_isLimitedToACentury() throws StatusException {
    sandbox.post(PODS, POD.formatted("n1"));
    sandbox.delete(PODS + "/p?gracePeriodSeconds=" + Long.MAX_VALUE);
    assertThat(JsonTree.text(sandbox.get(PODS + "/p"), "metadata", "deletionTimestamp"))
        .startsWith("2126-01-02");
  }

  @Test
  void namespaceDeletion_endsGracePeriodsOfPods() throws StatusException {
    sandbox.post(PODS, POD.formatted("n1").replace("\"p\"", "\"p\",\"finalizers\":[\"x.io/a\"]"));
    sandbox.delete(PODS + "/p");
    sandbox.delete(NAMESPACES + "/shop");
    sandbox.merge(PODS + "/p", "{\"metadata\":{\"finalizers\":null}}");
    assertThat(sandbox.has(PODS + "/p")).isFalse();
    assertThat(sandbox.has(NAMESPACES + "/shop")).isFalse();
  }

  @Test
  void podWithoutNode_isRemovedAtOnce() throws StatusException {
    Revision before = sandbox.head(PODS);
    sandbox.post(PODS, POD.formatted(""));
    sandbox.delete(PODS + "/p");
    // The last change marks the pod as deleted, as in an apiserver.
    assertThat(sandbox.since(before)).containsExactly("+shop/p", "~shop/p", "-shop/p");
  }

  @Test
  void removingLastFinalizer_removesObject() throws StatusException {
    sandbox.post(MAPS, "{\"metadata\":{\"name\":\"a\",\"finalizers\":[\"x.io/a\",\"x.io/b\"]}}");
    Revision before = sandbox.head(MAPS);
    sandbox.delete(MAPS + "/a");
    sandbox.merge(MAPS + "/a", "{\"metadata\":{\"finalizers\":[\"x.io/b\"]}}");
    JsonObject last = sandbox.merge(MAPS + "/a", "{\"metadata\":{\"finalizers\":null}}");

    assertThat(sandbox.since(before)).containsExactly("~shop/a", "~shop/a", "-shop/a");
    // The response has the version before the removal, as in an apiserver.
    long answered = JsonTree.number(last, 0, "metadata", "resourceVersion");
    assertThat(sandbox.head(MAPS).version().digits()).isEqualTo(Long.toString(answered + 1));
  }

  @Test
  void namespaceDeletion_removesAllObjects() throws StatusException {
    sandbox.post(PODS, POD.formatted("n1"));
    sandbox.post(MAPS, "{\"metadata\":{\"name\":\"a\"}}");
    Revision pods = sandbox.head(PODS);
    Revision namespaces = sandbox.head(NAMESPACES);

    JsonObject answer = sandbox.delete(NAMESPACES + "/shop");

    assertThat(JsonTree.text(answer, "status", "phase")).isEqualTo("Terminating");
    assertThat(sandbox.since(namespaces)).containsExactly("~shop", "-shop");
    assertThat(sandbox.since(pods)).containsExactly("-shop/p");
    assertThat(sandbox.has(MAPS + "/a")).isFalse();
    assertThatThrownBy(() -> sandbox.post(MAPS, "{\"metadata\":{\"name\":\"a\"}}"))
        .hasMessage("namespaces \"shop\" not found");
  }

  @Test
  void namespaceDeletion_waitsForFinalizersAndRefusesNewObjects() throws StatusException {
    sandbox.post(MAPS, "{\"metadata\":{\"name\":\"a\",\"finalizers\":[\"x.io/a\"]}}");
    sandbox.delete(NAMESPACES + "/shop");
    assertThat(sandbox.has(NAMESPACES + "/shop")).isTrue();
    assertThatThrownBy(() -> sandbox.post(MAPS, "{\"metadata\":{\"name\":\"b\"}}"))
        .hasMessage(
            "configmaps \"b\" is forbidden: unable to create new content in namespace shop because"
                + " it is being terminated");

    sandbox.merge(MAPS + "/a", "{\"metadata\":{\"finalizers\":null}}");
    assertThat(sandbox.has(MAPS + "/a")).isFalse();
    assertThat(sandbox.has(NAMESPACES + "/shop")).isFalse();
  }

  @Test
  void namespaceFinalize_holdsItUp_andForcesItsRemoval() throws StatusException {
    sandbox.post(MAPS, "{\"metadata\":{\"name\":\"a\",\"finalizers\":[\"x.io/a\"]}}");
    String finalize = NAMESPACES + "/shop/finalize";
    JsonObject answer =
        sandbox.put(
            finalize,
            "{\"metadata\":{\"name\":\"shop\"},\"spec\":{\"finalizers\":[\"kubernetes\",\"x.io/b\"]}}");
    assertThat(JsonTree.texts(answer, "spec", "finalizers"))
        .containsExactly("kubernetes", "x.io/b");
    sandbox.delete(NAMESPACES + "/shop");
    sandbox.merge(MAPS + "/a", "{\"metadata\":{\"finalizers\":null}}");
    assertThat(sandbox.has(NAMESPACES + "/shop")).isTrue();

    sandbox.put(finalize, "{\"metadata\":{\"name\":\"shop\"},\"spec\":{\"finalizers\":[]}}");
    assertThat(sandbox.has(NAMESPACES + "/shop")).isFalse();
  }

  @Test
  void eviction_checksItsPreconditionsBeforeItMarksThePod() throws StatusException {
    JsonObject pod = sandbox.post(PODS, POD.formatted(""));
    String eviction =
        """
        {"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"p"},\
        "deleteOptions":{"preconditions":{"resourceVersion":"%s"}}}\
        """;
    String version = JsonTree.text(pod, "metadata", "resourceVersion");
    assertThatThrownBy(() -> sandbox.post(PODS + "/p/eviction", eviction.formatted("1")))
        .hasMessageContaining("the ResourceVersion in the precondition (1) does not match");
    assertThat(JsonTree.text(sandbox.get(PODS + "/p"), "metadata", "resourceVersion"))
        .isEqualTo(version);

    sandbox.post(PODS + "/p/eviction", eviction.formatted(version));
    assertThat(sandbox.has(PODS + "/p")).isFalse();
  }

  @Test
  void deleteCollection_deletesOnlySelectedObjectsOfNamespace() throws StatusException {
    String map = "{\"metadata\":{\"name\":\"%s\",\"labels\":{\"app\":\"%s\"}}}";
    sandbox.post(MAPS, map.formatted("a", "x"));
    sandbox.post(MAPS, map.formatted("b", "y"));
    sandbox.post("/api/v1/namespaces/default/configmaps", map.formatted("c", "x"));

    assertThat(sandbox.delete(MAPS + "?labelSelector=app%3Dx&dryRun=All").getAsJsonArray("items"))
        .hasSize(1);
    assertThat(sandbox.has(MAPS + "/a")).isTrue();
    sandbox.delete(MAPS + "?labelSelector=app%3Dx");

    assertThat(sandbox.has(MAPS + "/a")).isFalse();
    assertThat(sandbox.has(MAPS + "/b")).isTrue();
    assertThat(sandbox.has("/api/v1/namespaces/default/configmaps/c")).isTrue();
  }

  @Test
  void delete_acceptsOptionsInBody() throws StatusException {
    JsonObject pod = sandbox.post(PODS, POD.formatted("n1"));
    String options = "{\"gracePeriodSeconds\":0,\"preconditions\":{\"uid\":\"%s\"}}";
    assertThatThrownBy(() -> sandbox.send(Method.DELETE, PODS + "/p", options.formatted("another")))
        .isInstanceOfSatisfying(StatusException.class, e -> assertThat(e.code()).isEqualTo(409));
    String uid = JsonTree.text(pod, "metadata", "uid");
    sandbox.send(Method.DELETE, PODS + "/p", options.formatted(uid));
    assertThat(sandbox.has(PODS + "/p")).isFalse();
  }
}
