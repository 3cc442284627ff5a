package io.watchgate.kube;

import static io.watchgate.kube.ApiserverStub.JSON;
import static io.watchgate.kube.ApiserverStub.LONG;
import static io.watchgate.kube.ApiserverStub.SETTINGS;
import static io.watchgate.kube.ApiserverStub.status;
import static io.watchgate.kube.ApiserverStub.told;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.Cluster.Unavailable;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.cache.TypeReference;
import io.watchgate.cache.Upstream;
import io.watchgate.cache.Upstream.WatchOutcome;
import io.watchgate.cache.UpstreamFailure.Transport;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import mockwebserver3.MockResponse;
import okhttp3.Protocol;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of a cluster and its end; isolated, since they look for threads that are left. */
@Tag("slow")
@Isolated
final class KubeClusterTest {
  private static final String KUBE_SYSTEM = "/api/v1/namespaces/kube-system";

  @RegisterExtension private final ApiserverStub stub = new ApiserverStub();

  private KubeCluster cluster(PathAnswers answers) throws ConfigException {
    stub.server.setDispatcher(answers);
    return stub.cluster(SETTINGS);
  }

  @Test
  void uid_isThatOfKubeSystem() throws Exception {
    try (KubeCluster cluster =
        cluster(new PathAnswers().answer(KUBE_SYSTEM, "{\"metadata\":{\"uid\":\"c-1\"}}"))) {
      assertThat(cluster.uid()).isEqualTo("c-1");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {403, 404, 200})
  void unreadableUid_errorHasTheRemedies(int code) throws Exception {
    PathAnswers answers = new PathAnswers();
    answers.answer(
        KUBE_SYSTEM,
        new MockResponse.Builder()
            .code(code)
            .setHeader("Content-Type", JSON)
            .body(code == 200 ? "{\"metadata\":{}}" : status(code, "No", "no"))
            .build());
    try (KubeCluster cluster = cluster(answers)) {
      assertThatThrownBy(cluster::uid)
          .isInstanceOf(KubeException.class)
          .hasMessageContaining("kube-system")
          .hasMessageContaining("configure a name for the cluster")
          .message()
          .contains(code == 200 ? "has no uid" : "grant the gateway get");
    }
  }

  @Test
  void close_endsUpstreamsAndThreads() throws Exception {
    Set<String> others =
        threads(); // left by earlier tests, such as writes to peers that never read
    EventStream stream = new EventStream().frame("ADDED", "{}");
    stub.answer(stream);
    Recorder recorder = new Recorder();
    KubeCluster cluster = stub.cluster(SETTINGS);
    Upstream pods =
        cluster.open(
            new TypeDefinition(ApiserverStub.PODS, "", List.of(), List.of(), "", List.of()));
    CompletableFuture<WatchOutcome> watch = BackgroundWatch.start(() -> pods.watch("1", recorder));
    await().until(() -> recorder.seen.size() == 1);
    assertThat(threadsBeside(others)).isNotEmpty();
    cluster.close();
    assertThat(watch)
        .succeedsWithin(LONG)
        .isEqualTo(new WatchOutcome(new Transport("watch pods: closed by the gateway")));
    // A last frame may wait for OkHttp's own limit on writing, 10 s.
    await().atMost(LONG).untilAsserted(() -> assertThat(threadsBeside(others)).isEmpty());
    // A later call fails, and makes no connection.
    assertThat(told(((Upstream.ListFailed) pods.list(recorder)).failure()))
        .isEqualTo(new Transport("list pods: closed by the gateway"));
    assertThat(cluster.resolve(new TypeReference("", "", "pods")))
        .isInstanceOfSatisfying(
            Unavailable.class,
            late -> assertThat(told(late.failure())).isInstanceOf(Transport.class));
  }

  /** OkHttp would allow five enqueued calls per host. */
  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "HTTP_2"})
  void tenTypes_areWatchedConcurrently(Protocol protocol) throws Exception {
    stub.server.setProtocols(
        protocol == Protocol.HTTP_2 ? List.of(protocol, Protocol.HTTP_1_1) : List.of(protocol));
    List<Upstream> types = new ArrayList<>();
    List<CompletableFuture<WatchOutcome>> watches = new ArrayList<>();
    Recorder recorder = new Recorder();
    try (KubeCluster cluster = stub.cluster(SETTINGS)) {
      for (int i = 0; i < 10; i++) {
        stub.answer(new EventStream().frame("ADDED", "{}"));
        ApiResource type =
            new ApiResource("", "v1", "things" + i, "Thing", ApiResource.Scope.NAMESPACED);
        types.add(cluster.open(new TypeDefinition(type, "", List.of(), List.of(), "", List.of())));
      }
      for (Upstream type : types) {
        watches.add(BackgroundWatch.start(() -> type.watch("1", recorder)));
      }
      await().atMost(LONG).until(() -> recorder.seen.size() == 10);
      assertThat(watches).noneMatch(CompletableFuture::isDone);

      stub.server.enqueue(
          new MockResponse.Builder()
              .setHeader("Content-Type", JSON)
              .body("{\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[]}")
              .build());
      assertThat(types.getFirst().probe()).isEqualTo(new Upstream.Listed("7"));
    }
  }

  private Set<String> threadsBeside(Set<String> others) {
    Set<String> ours = threads();
    ours.removeAll(others);
    return ours;
  }

  /**
   * Returns the threads with a name that OkHttp gives them while they serve a connection, or with
   * ours. One thread of OkHttp, shared by the process, waits for scheduled tasks, such as the pings
   * of any other connection. It keeps the name of its last task meanwhile, and serves no
   * connection.
   */
  private Set<String> threads() {
    String connection = "OkHttp " + stub.server.getHostName();
    Set<String> found = new TreeSet<>();
    Thread.getAllStackTraces()
        .forEach(
            (thread, stack) -> {
              String name = thread.getName();
              if (name.equals("kube-timer")
                  || (name.startsWith(connection) && !isBetweenTasks(stack))) {
                found.add(thread.threadId() + " " + name);
              }
            });
    return found;
  }

  private static boolean isBetweenTasks(StackTraceElement[] stack) {
    return Arrays.stream(stack)
        .anyMatch(
            frame ->
                frame.getClassName().startsWith("okhttp3.internal.concurrent.TaskRunner")
                    && frame.getMethodName().equals("awaitTaskToRun"));
  }
}
