package io.watchgate.kube;

import static io.watchgate.kube.ApiserverStub.LONG;
import static io.watchgate.kube.ApiserverStub.SETTINGS;
import static io.watchgate.kube.ApiserverStub.status;
import static io.watchgate.kube.ApiserverStub.told;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.Cluster;
import io.watchgate.cache.Cluster.Found;
import io.watchgate.cache.Cluster.Resolution;
import io.watchgate.cache.Cluster.Unavailable;
import io.watchgate.cache.Cluster.Unknown;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.cache.TypeReference;
import io.watchgate.cache.UpstreamFailure;
import io.watchgate.cache.UpstreamFailure.Forbidden;
import io.watchgate.cache.UpstreamFailure.Malformed;
import io.watchgate.cache.UpstreamFailure.ServerError;
import io.watchgate.cache.UpstreamFailure.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockResponse;
import mockwebserver3.RecordedRequest;
import mockwebserver3.SocketEffect;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the types of a cluster, and of their lifetime. */
@Tag("slow")
final class KubeClusterTypesTest {
  private static final String NO_GROUPS = "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[]}";

  private static final String SECOND_DEFINITION =
      DiscoveryAnswers.WIDGET_DEFINITION.replace("u-1", "u-2");

  @RegisterExtension private final ApiserverStub stub = new ApiserverStub();

  private static TypeReference name(String resource) {
    return new TypeReference("", "", resource);
  }

  private static TypeDefinition found(Resolution resolution) {
    assertThat(resolution).isInstanceOf(Found.class);
    return ((Found) resolution).definition();
  }

  private static UpstreamFailure unavailable(Resolution resolution) {
    assertThat(resolution).isInstanceOf(Unavailable.class);
    return told(((Unavailable) resolution).failure());
  }

  private KubeCluster cluster(PathAnswers answers) throws ConfigException {
    stub.server.setDispatcher(answers);
    return stub.cluster(SETTINGS);
  }

  private void pass(Duration time) {
    stub.clock.addAndGet(time.toNanos());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aggregatedAndLegacyDiscovery_areEquivalent(boolean aggregated) throws Exception {
    PathAnswers answers = aggregated ? DiscoveryAnswers.aggregated() : DiscoveryAnswers.legacy();
    try (KubeCluster cluster = cluster(answers)) {
      assertThat(found(cluster.resolve(name("po"))).type()).isEqualTo(ApiserverStub.PODS);
      assertThat(found(cluster.resolve(name("Deployment"))).type().toString())
          .isEqualTo("deployments.apps/v1");
      TypeDefinition widgets = found(cluster.resolve(name("widgets")));
      assertThat(widgets.type().version()).isEqualTo("v2");
      assertThat(widgets.definitionUid()).isEqualTo("u-1");
      assertThat(widgets.selectableFields()).containsExactly("spec.color", "spec.size");
      assertThat(widgets.isWatchable()).isTrue();
      assertThat(found(cluster.resolve(name("widgets.v1.x.io"))).selectableFields()).isEmpty();
      TypeDefinition gadgets = found(cluster.resolve(name("gadgets"))); // without a definition
      assertThat(gadgets.isCustom()).isFalse();
      assertThat(cluster.resolve(name("widgetz"))).isEqualTo(new Unknown(List.of("widgets.x.io")));
      assertThat(unavailable(cluster.resolve(name("things.down.io"))))
          .isInstanceOf(ServerError.class)
          .extracting(UpstreamFailure::message)
          .asString()
          .contains("things.down.io", "does not answer discovery");
      assertThat(cluster.types().types())
          .extracting(definition -> definition.type().toString())
          .containsExactly(
              "pods/v1", "deployments.apps/v1", "widgets.x.io/v2", "gadgets.own.io/v1");
    }
  }

  @Test
  void invalidDefinition_causesNoRequestForOthers() throws Exception {
    PathAnswers answers = DiscoveryAnswers.aggregated();
    answers.answer(
        DiscoveryAnswers.DEFINITIONS,
        "{\"items\":[null,{\"metadata\":,},%s,5],\"metadata\":{\"resourceVersion\":\"9\"}}"
            .formatted(DiscoveryAnswers.WIDGET_DEFINITION));
    try (KubeCluster cluster = cluster(answers)) {
      assertThat(cluster.types().types())
          .extracting(definition -> definition.type().resource())
          .containsExactly("pods", "deployments", "widgets", "gadgets");
      assertThat(answers.count(DiscoveryAnswers.WIDGETS)).isZero();
    }
  }

  @Test
  void forbiddenDefinition_errorHasTheRemedy() throws Exception {
    PathAnswers answers = DiscoveryAnswers.aggregated();
    answers.answer(DiscoveryAnswers.WIDGETS, 403, status(403, "Forbidden", "no"));
    answers.answer(DiscoveryAnswers.DEFINITIONS, 403, status(403, "Forbidden", "no"));
    try (KubeCluster cluster = cluster(answers)) {
      for (int i = 0; i < 3; i++) {
        assertThat(unavailable(cluster.resolve(name("widgets"))))
            .isEqualTo(
                new Forbidden(
                    "reading the CustomResourceDefinition widgets.x.io: 403 Forbidden: no; grant"
                        + " the gateway get and list on customresourcedefinitions of"
                        + " apiextensions.k8s.io"));
      }
      assertThat(answers.count(DiscoveryAnswers.WIDGETS)).isEqualTo(1);
      assertThat(cluster.types().types())
          .extracting(definition -> definition.type().resource())
          .containsExactly("pods", "deployments", "gadgets");
      assertThat(cluster.types().unread())
          .hasEntrySatisfying(
              new ApiResource("x.io", "v2", "widgets", "Widget", ApiResource.Scope.NAMESPACED),
              failure -> assertThat(failure).isInstanceOf(Forbidden.class));
    }
  }

  @Test
  void unavailableApiserver_cachedTypesAreUsed() throws Exception {
    PathAnswers answers = DiscoveryAnswers.aggregated();
    try (KubeCluster cluster = cluster(answers)) {
      Resolution widgets = cluster.resolve(name("widgets"));
      assertThat(widgets).isInstanceOf(Found.class);
      pass(SETTINGS.ages().discovery().plusNanos(1));
      for (String path :
          List.of("/api", "/apis", DiscoveryAnswers.WIDGETS, DiscoveryAnswers.DEFINITIONS)) {
        answers.answer(path, 503, "down");
      }
      for (int i = 0; i < 10; i++) {
        pass(Duration.ofMillis(100));
        assertThat(cluster.resolve(name("widgets"))).isEqualTo(widgets);
      }
      await().until(() -> cluster.types().failure().isPresent());
      assertThat(answers.count("/api")).isEqualTo(2);
      assertThat(cluster.types().types()).hasSize(4);
      assertThat(unavailable(cluster.refresh(name("widgets")))).isInstanceOf(ServerError.class);
    }
  }

  @Test
  void emptyCache_listingHasTheFailure() throws Exception {
    PathAnswers answers = DiscoveryAnswers.aggregated().answer("/api", 503, "down");
    try (KubeCluster cluster = cluster(answers)) {
      assertThat(cluster.types().types()).isEmpty();
      assertThat(cluster.types().failure()).containsInstanceOf(ServerError.class);
    }
  }

  @Test
  void newDefinition_isFoundWithItsType() throws Exception {
    PathAnswers answers = DiscoveryAnswers.aggregated();
    MockResponse groups = answers.of("/apis");
    answers.answer(DiscoveryAnswers.DEFINITIONS, "{\"items\":[]}").answer("/apis", NO_GROUPS);
    try (KubeCluster cluster = cluster(answers)) {
      assertThat(cluster.types().types()).hasSize(1);
      pass(Duration.ofSeconds(2)); // a miss asks discovery again
      answers.answer("/apis", groups);
      assertThat(found(cluster.resolve(name("widgets"))).definitionUid()).isEqualTo("u-1");
    }
  }

  /** Returns the types when one answer of discovery lacks a new type, and the next one has it. */
  private List<TypeDefinition> typesOfTheNextAnswer(
      PathAnswers answers, String definitions, Duration untilAnswered) throws Exception {
    MockResponse groups = answers.of("/apis");
    MockResponse all = answers.of(DiscoveryAnswers.DEFINITIONS);
    answers
        .answer("/apis", DiscoveryAnswers.groupsWithNotes())
        .answer(DiscoveryAnswers.DEFINITIONS, "{\"items\":[]}");
    CountDownLatch answered = new CountDownLatch(1);
    try (KubeCluster cluster = cluster(answers)) {
      assertThat(cluster.types().types()).hasSize(2);
      stub.server.setDispatcher(
          new Dispatcher() {
            @Override
            public MockResponse dispatch(RecordedRequest request) throws InterruptedException {
              if (request.getUrl().encodedPath().equals("/apis")) {
                answered.await();
              }
              return answers.dispatch(request);
            }
          });
      answers.answer("/apis", groups).answer(DiscoveryAnswers.DEFINITIONS, definitions);
      pass(SETTINGS.ages().discovery().plusNanos(1));
      // Discovery is asked, and all definitions are read before it answers.
      await().until(() -> cluster.types().types().getLast().definitionUid().equals("u-notes"));
      answers.answer(DiscoveryAnswers.DEFINITIONS, all);
      pass(untilAnswered);
      answered.countDown();
      return await().until(() -> cluster.types().types(), types -> types.size() > 2);
    } finally {
      answered.countDown();
    }
  }

  private static String uid(List<TypeDefinition> types, String resource) {
    return types.stream()
        .filter(definition -> definition.type().resource().equals(resource))
        .map(TypeDefinition::definitionUid)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void typeCreatedDuringDiscovery_hasItsDefinition() throws Exception {
    List<TypeDefinition> types =
        typesOfTheNextAnswer(
            DiscoveryAnswers.aggregated(),
            "{\"items\":[%s]}".formatted(DiscoveryAnswers.NOTE_DEFINITION),
            Duration.ofNanos(1));

    assertThat(uid(types, "widgets")).isEqualTo("u-1");
    assertThat(uid(types, "gadgets")).isEmpty();
  }

  @Test
  void definitionListedBeforeItsType_isUsed() throws Exception {
    PathAnswers answers = DiscoveryAnswers.aggregated();
    List<TypeDefinition> types =
        typesOfTheNextAnswer(
            answers,
            "{\"items\":[%s,%s]}"
                .formatted(DiscoveryAnswers.NOTE_DEFINITION, DiscoveryAnswers.WIDGET_DEFINITION),
            Duration.ZERO);

    assertThat(uid(types, "widgets")).isEqualTo("u-1");
    assertThat(answers.count(DiscoveryAnswers.DEFINITIONS)).isEqualTo(2);
  }

  @Test
  void recreatedDefinition_isAnother() throws Exception {
    PathAnswers answers = DiscoveryAnswers.aggregated();
    try (KubeCluster cluster = cluster(answers)) {
      assertThat(found(cluster.resolve(name("widgets"))).definitionUid()).isEqualTo("u-1");
      answers.answer("/apis", NO_GROUPS);
      pass(Duration.ofNanos(1));
      assertThat(cluster.refresh(name("widgets"))).isInstanceOf(Unknown.class);
      stub.server.setDispatcher(
          DiscoveryAnswers.aggregated().answer(DiscoveryAnswers.WIDGETS, SECOND_DEFINITION));
      pass(Duration.ofSeconds(2));
      assertThat(found(cluster.resolve(name("widgets"))).definitionUid()).isEqualTo("u-2");
    }
  }

  @Test
  void cachedType_outlivesItsAgeDuringFailures() throws Exception {
    PathAnswers answers = DiscoveryAnswers.aggregated();
    try (KubeCluster cluster = cluster(answers)) {
      assertThat(cluster.resolve(name("po"))).isInstanceOf(Found.class);
      pass(SETTINGS.ages().discovery());
      assertThat(cluster.resolve(name("pods"))).isInstanceOf(Found.class);
      assertThat(answers.count("/apis")).isEqualTo(1);
      pass(Duration.ofNanos(1));
      answers.answer("/api", 503, status(503, "ServiceUnavailable", "etcd"));
      assertThat(cluster.resolve(name("pods"))).isInstanceOf(Found.class);
      await().until(() -> cluster.types().failure().isPresent());
      assertThat(answers.count("/api")).isEqualTo(2);
      // But the existence of an unknown type is not denied, and a fresh look fails.
      assertThat(unavailable(cluster.resolve(name("new"))))
          .isEqualTo(
              new ServerError("discovery of api: 503 ServiceUnavailable: etcd", Duration.ZERO));
      assertThat(unavailable(cluster.refresh(name("pods")))).isInstanceOf(ServerError.class);
    }
  }

  @Test
  void unknownName_refreshesDiscoveryRateLimited() throws Exception {
    PathAnswers answers = DiscoveryAnswers.aggregated();
    try (KubeCluster cluster = cluster(answers)) {
      for (int i = 0; i < 10; i++) {
        assertThat(cluster.resolve(name("nothing"))).isInstanceOf(Unknown.class);
      }
      assertThat(answers.count("/apis")).isEqualTo(1);
      pass(Duration.ofSeconds(2));
      assertThat(cluster.resolve(name("nothing"))).isInstanceOf(Unknown.class);
      assertThat(answers.count("/apis")).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {200, 503})
  void concurrentLookups_areOneOrTwoQuestions(int code) throws Exception {
    PathAnswers answers = DiscoveryAnswers.aggregated();
    answers.answer(
        "/api",
        new MockResponse.Builder()
            .code(code)
            .body(code == 200 ? "{\"kind\":\"APIGroupDiscoveryList\"}" : "down")
            .build());
    CountDownLatch allAsk = new CountDownLatch(1);
    stub.server.setDispatcher(
        new Dispatcher() {
          @Override
          public MockResponse dispatch(RecordedRequest request) throws InterruptedException {
            allAsk.await();
            return answers.dispatch(request);
          }
        });
    List<CompletableFuture<Resolution>> asking = new ArrayList<>();
    List<Thread> callers = new ArrayList<>();
    try (KubeCluster cluster =
        KubeCluster.of(stub.access(new UserCredentials.Anonymous()), SETTINGS, System::nanoTime)) {
      for (int i = 0; i < 100; i++) {
        CompletableFuture<Resolution> asked = new CompletableFuture<>();
        asking.add(asked);
        callers.add(Thread.startVirtualThread(() -> resolve(cluster, asked)));
      }
      // A caller that comes after a failure asks again.
      await()
          .until(
              () ->
                  callers.stream()
                      .allMatch(caller -> caller.getState() == Thread.State.TIMED_WAITING));
      allAsk.countDown();
      for (CompletableFuture<Resolution> asked : asking) {
        assertThat(asked)
            .succeedsWithin(LONG)
            .isInstanceOf(code == 200 ? Found.class : Unavailable.class);
      }
    }
    assertThat(answers.count("/api")).isBetween(1, 2);
  }

  private static void resolve(KubeCluster cluster, CompletableFuture<Resolution> asked) {
    try {
      asked.complete(cluster.resolve(name("deployments")));
    } catch (InterruptedException e) {
      asked.completeExceptionally(e);
    }
  }

  @Test
  void knownType_isRefreshedInBackground() throws Exception {
    PathAnswers answers = DiscoveryAnswers.aggregated();
    try (KubeCluster cluster = cluster(answers)) {
      assertThat(found(cluster.resolve(name("widgets"))).definitionUid()).isEqualTo("u-1");
      pass(Duration.ofHours(9));
      answers.answer(
          DiscoveryAnswers.WIDGETS, DiscoveryAnswers.WIDGET_DEFINITION.replace("color", "shape"));

      TypeDefinition first = found(cluster.resolve(name("widgets")));
      assertThat(first.selectableFields()).containsExactly("spec.color", "spec.size");
      await()
          .untilAsserted(
              () ->
                  assertThat(found(cluster.resolve(name("widgets"))).selectableFields())
                      .containsExactly("spec.shape", "spec.size"));
      await().until(() -> answers.count("/apis") == 2); // beside the question for the definition
      assertThat(answers.count(DiscoveryAnswers.WIDGETS)).isEqualTo(2);
    }
  }

  @Test
  void recheck_seesRecentChanges() throws Exception {
    PathAnswers answers = DiscoveryAnswers.aggregated();
    try (KubeCluster cluster = cluster(answers)) {
      assertThat(cluster.resolve(name("widgets"))).isInstanceOf(Found.class);
      answers.answer(
          DiscoveryAnswers.WIDGETS, DiscoveryAnswers.WIDGET_DEFINITION.replace("color", "shape"));
      pass(Duration.ofSeconds(2));
      assertThat(found(cluster.recheck(name("widgets"))).selectableFields())
          .containsExactly("spec.shape", "spec.size");
      assertThat(cluster.recheck(name("widgets"))).isInstanceOf(Found.class);
      assertThat(answers.count(DiscoveryAnswers.WIDGETS)).isEqualTo(2);
    }
  }

  /** Discovery follows a moment after the definition. */
  @Test
  void typeWithRemovedDefinition_isNotBuiltIn() throws Exception {
    PathAnswers answers = DiscoveryAnswers.aggregated();
    try (KubeCluster cluster = cluster(answers)) {
      assertThat(cluster.resolve(name("widgets"))).isInstanceOf(Found.class);
      answers.answer(DiscoveryAnswers.WIDGETS, 404, status(404, "NotFound", "none"));
      answers.answer("/apis", NO_GROUPS);
      pass(Duration.ofMinutes(1));
      await().until(() -> cluster.resolve(name("widgets")) instanceof Unknown);
    }
  }

  /** Answers discovery such that each answer arrives a nanosecond after its question. */
  private void dispatch(PathAnswers answers, Runnable beforeGroups) {
    stub.server.setDispatcher(
        new Dispatcher() {
          @Override
          public MockResponse dispatch(RecordedRequest request) {
            if (request.getUrl().encodedPath().equals("/apis")) {
              pass(Duration.ofNanos(1));
              beforeGroups.run();
            }
            return answers.dispatch(request);
          }
        });
  }

  @Test
  void definitionRecreatedBeforeDiscovery_isFound() throws Exception {
    PathAnswers answers = DiscoveryAnswers.aggregated();
    answers.answer("/gone", 404, status(404, "NotFound", "none"));
    MockResponse gone = answers.of("/gone");
    try (KubeCluster cluster = cluster(answers)) {
      assertThat(found(cluster.resolve(name("widgets"))).definitionUid()).isEqualTo("u-1");
      answers.answer(DiscoveryAnswers.WIDGETS, gone);
      dispatch(
          answers,
          () -> {
            if (answers.count(DiscoveryAnswers.WIDGETS) == 2) {
              answers.answer(DiscoveryAnswers.WIDGETS, SECOND_DEFINITION);
            }
          });
      pass(Duration.ofSeconds(2));
      assertThat(found(cluster.recheck(name("widgets"))).definitionUid()).isEqualTo("u-2");
    }
  }

  @Test
  void typeWithoutDefinition_isReadOncePerDiscovery() throws Exception {
    PathAnswers answers = DiscoveryAnswers.aggregated();
    answers.answer("/gone", 404, status(404, "NotFound", "none"));
    MockResponse gone = answers.of("/gone");
    try (KubeCluster cluster = cluster(answers)) {
      assertThat(found(cluster.resolve(name("widgets"))).definitionUid()).isEqualTo("u-1");
      answers.answer(DiscoveryAnswers.WIDGETS, gone);
      dispatch(answers, () -> {});
      pass(Duration.ofSeconds(2));
      assertThat(found(cluster.recheck(name("widgets"))).isCustom()).isFalse();
      int asked = answers.count(DiscoveryAnswers.WIDGETS);
      int discovered = answers.count("/apis");
      for (int i = 0; i < 3; i++) {
        assertThat(found(cluster.resolve(name("widgets"))).isCustom()).isFalse();
      }
      assertThat(answers.count(DiscoveryAnswers.WIDGETS)).isEqualTo(asked);
      assertThat(answers.count("/apis")).isEqualTo(discovered);

      pass(Duration.ofSeconds(2));
      answers.answer(DiscoveryAnswers.WIDGETS, SECOND_DEFINITION);
      assertThat(cluster.refresh(name("pods"))).isInstanceOf(Found.class);
      assertThat(found(cluster.resolve(name("widgets"))).definitionUid()).isEqualTo("u-2");
    }
  }

  @Test
  void typesOfUnavailableGroup_stayKnown() throws Exception {
    PathAnswers answers = DiscoveryAnswers.legacy();
    try (KubeCluster cluster = cluster(answers)) {
      TypeDefinition gadgets = found(cluster.resolve(name("gadgets")));
      answers.answer("/apis/own.io/v1", 503, status(503, "ServiceUnavailable", "no endpoints"));
      pass(Duration.ofSeconds(2));
      assertThat(unavailable(cluster.resolve(name("gizmos.own.io"))))
          .isInstanceOf(ServerError.class);
      assertThat(found(cluster.resolve(name("gadgets")))).isEqualTo(gadgets);
      assertThat(found(cluster.refresh(name("gadgets")))).isEqualTo(gadgets);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"503", "403", "404", "html", "cut"})
  void unreadableGroup_doesNotAffectOthers(String how) throws Exception {
    PathAnswers answers = DiscoveryAnswers.legacy();
    String group = "/apis/own.io/v1";
    switch (how) {
      case "html" -> answers.answer(group, "<html>the login page</html>");
      case "cut" -> answers.answer(group, "{\"kind\":\"APIResourceList\",\"resources\":[");
      default -> answers.answer(group, Integer.parseInt(how), "no");
    }
    try (KubeCluster cluster = cluster(answers)) {
      assertThat(cluster.resolve(name("pods"))).isInstanceOf(Found.class);
      assertThat(cluster.resolve(name("widgets"))).isInstanceOf(Found.class);
      assertThat(unavailable(cluster.resolve(name("gadgets.own.io"))))
          .isInstanceOf(ServerError.class);
    }
  }

  @Test
  void silentGroups_notInARow_doNotAffectOthers() throws Exception {
    PathAnswers answers = DiscoveryAnswers.legacy();
    MockResponse none =
        new MockResponse.Builder()
            .body("{}")
            .onResponseBody(new SocketEffect.CloseStream(2))
            .build();
    answers
        .answer("/apis/x.io/v2", none)
        .answer("/apis/x.io/v1", 503, "no")
        .answer("/apis/own.io/v1", none);
    try (KubeCluster cluster = cluster(answers)) {
      assertThat(cluster.resolve(name("pods"))).isInstanceOf(Found.class);
      answers.answer("/apis/x.io/v1", none);
      pass(Duration.ofNanos(1));
      assertThat(unavailable(cluster.refresh(name("pods")))).isInstanceOf(Transport.class);
    }
  }

  /** Two apiservers in the middle of an upgrade. */
  @Test
  void alternatingAnswers_areOneType() throws Exception {
    PathAnswers answers = DiscoveryAnswers.aggregated();
    MockResponse one = answers.of("/api");
    MockResponse other = DiscoveryAnswers.reordered().of("/api");
    try (KubeCluster cluster = cluster(answers)) {
      TypeDefinition first = found(cluster.resolve(name("pods")));
      for (int turn = 0; turn < 4; turn++) {
        answers.answer("/api", turn % 2 == 0 ? other : one);
        pass(Duration.ofSeconds(2));
        TypeDefinition next = found(cluster.refresh(name("pods")));
        assertThat(next.equals(first)).isEqualTo(turn % 2 == 1);
        assertThat(first.covers(next)).isTrue();
      }
    }
  }

  // ---- an apiserver that hangs

  /**
   * @param lookup wait of a caller for an unknown type
   */
  private KubeCluster cluster(PathAnswers answers, Duration lookup) throws ConfigException {
    stub.server.setDispatcher(answers);
    KubeSettings.Timeouts waits = SETTINGS.timeouts();
    return stub.cluster(
        SETTINGS.with(
            new KubeSettings.Timeouts(waits.connect(), LONG, waits.page(), waits.ping(), lookup)));
  }

  /** Waits until the type is known: on a busy machine the first answer may come after the limit. */
  private static Resolution found(KubeCluster cluster, String name) {
    return await().until(() -> cluster.resolve(name(name)), Found.class::isInstance);
  }

  private static void hang(PathAnswers answers) {
    for (String path :
        List.of("/api", "/apis", DiscoveryAnswers.WIDGETS, DiscoveryAnswers.DEFINITIONS)) {
      answers.answer(
          path,
          new MockResponse.Builder().headersDelay(10, TimeUnit.MINUTES).body("too late").build());
    }
  }

  @Test
  void hangingApiserver_knownTypeIsFoundAtOnce() throws Exception {
    PathAnswers answers = DiscoveryAnswers.aggregated();
    try (KubeCluster cluster = cluster(answers, LONG.multipliedBy(2))) {
      List<String> names = List.of("pods", "deploy", "widgets", "gadgets");
      List<Resolution> before = new ArrayList<>();
      for (String each : names) {
        before.add(found(cluster, each));
      }
      Cluster.Listing listed = cluster.types();
      pass(Duration.ofHours(1));
      hang(answers);

      assertThat(
              CompletableFuture.supplyAsync(
                  () -> {
                    try {
                      List<Resolution> now = new ArrayList<>();
                      for (String each : names) {
                        now.add(cluster.resolve(name(each)));
                      }
                      assertThat(cluster.types().types()).isEqualTo(listed.types());
                      assertThat(cluster.types().unread()).isEmpty();
                      return now;
                    } catch (InterruptedException e) {
                      throw new IllegalStateException(e);
                    }
                  }))
          .succeedsWithin(LONG.dividedBy(2)) // one that waited would take longer
          .isEqualTo(before);
      await().until(() -> answers.count("/api") == 2); // in the background, and once
    }
  }

  @Test
  void hangingApiserver_unknownNameTimesOut() throws Exception {
    PathAnswers answers = DiscoveryAnswers.aggregated();
    try (KubeCluster cluster = cluster(answers, Duration.ofMillis(300))) {
      found(cluster, "pods");
      pass(Duration.ofSeconds(2));
      hang(answers);
      for (String each : List.of("unknown", "widgets")) {
        long began = System.nanoTime();
        assertThat(unavailable(cluster.resolve(name(each))))
            .isInstanceOf(Transport.class)
            .extracting(UpstreamFailure::message)
            .asString()
            .contains("has not answered yet");
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(LONG.dividedBy(2));
      }
      assertThat(cluster.types().types())
          .extracting(definition -> definition.type().resource())
          .containsExactly("pods", "deployments");
      assertThat(cluster.types().unread()).hasSize(2); // widgets and gadgets
      assertThat(cluster.recheck(name("pods"))).isInstanceOf(Found.class);
      assertThat(answers.count("/api")).isEqualTo(2);
    }
  }

  @Test
  void otherServer_errorAsksForTheUrl() throws Exception {
    try (KubeCluster cluster =
        cluster(new PathAnswers().answer("/api", "{}").answer("/apis", "{}"))) {
      assertThat(unavailable(cluster.resolve(name("pods"))))
          .isEqualTo(
              new Malformed(
                  "discovery: no types at all; is "
                      + stub.server.url("/")
                      + " the URL of an apiserver?"));
    }
  }
}
