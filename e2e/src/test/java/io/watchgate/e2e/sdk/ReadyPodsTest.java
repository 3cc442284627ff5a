package io.watchgate.e2e.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.e2e.Repository;
import io.watchgate.e2e.faults.Command;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.e2e.program.RunningProgram;
import io.watchgate.e2e.proxy.FaultProxy;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Test of the controller in README.md as a process, with the class path of a project that depends
 * on the SDK, a sandbox, and gateways that are processes as well.
 */
final class ReadyPodsTest {
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final String ANY_PORT = "127.0.0.1:0";
  private static final Pattern ADDRESS = Pattern.compile("127\\.0\\.0\\.1:\\d+");

  @TempDir private Path folder;
  private Path kubeconfig;
  private Command sandbox;
  private Cluster cluster;
  private URI apiserver;

  @BeforeEach
  void makeCluster() {
    kubeconfig = folder.resolve("kubeconfig");
    sandbox =
        Command.start("sandbox", "--listen", ANY_PORT, "--write-kubeconfig", kubeconfig.toString());
    apiserver = uri(sandbox.awaitErr("serving on"));
    cluster = Cluster.plaintext(apiserver);
    cluster.createNamespace("shop");
    cluster.createNamespace("bank");
  }

  @AfterEach
  void end() {
    cluster.close();
    sandbox.close();
  }

  @Test
  void example_labelsNamespacesAcrossGatewayReplacement() throws Exception {
    create("shop", "a");
    create("shop", "b");
    create("bank", "c");
    ready("shop", "a", "True");
    ready("bank", "c", "True");
    try (Command first = serve();
        FaultProxy front = new FaultProxy(address(first));
        RunningProgram example = example(front.port())) {
      awaitLabel("shop", "1", example);
      awaitLabel("bank", "1", example);
      awaitLabel("default", "0", example);
      ready("shop", "b", "True");
      awaitLabel("shop", "2", example);
      ready("shop", "a", "False");
      awaitLabel("shop", "1", example);
      cluster.patch(
          Resource.NAMESPACES, "", "shop", "{\"metadata\":{\"labels\":{\"ready-pods\":null}}}");
      awaitLabel("shop", "1", example);

      // The example prints the line after the answer to its request, so the label is there before.
      await().until(() -> times("bank: 1 ready", example) > 0);
      long written = times("bank: 1 ready", example);
      assertThat(written).isPositive();
      // The second gateway serves before the first one ends: a client without a gateway would wait
      // longer and longer.
      try (Command second = serve()) {
        URI there = address(second);
        assertThat(first.end("TERM")).isZero();
        cluster.delete(Resource.PODS, "shop", "b");
        front.setTarget(there);
        awaitLabel("shop", "0", example);
        cluster.createNamespace("late");
        create("late", "d");
        ready("late", "d", "True");
        awaitLabel("late", "1", example);
        cluster.delete(Resource.PODS, "late", "d");
        awaitLabel("late", "0", example);
        await().until(() -> times("late: 1 ready", example) > 0);
        assertThat(times("late: 1 ready", example)).as("what is right is left alone").isOne();
        assertThat(times("bank: 1 ready", example)).as("nothing is repeated").isEqualTo(written);
        assertThat(example.isAlive()).isTrue();
        assertThat(second.end("TERM")).isZero();
      }
    }
  }

  // ---- processes

  private Command serve() {
    return Command.start(
        "serve",
        "--kubeconfig",
        kubeconfig.toString(),
        "--listen",
        ANY_PORT,
        "--http-listen",
        ANY_PORT);
  }

  private static URI address(Command serve) {
    return URI.create("http://127.0.0.1:" + serve.awaitServing().grpc());
  }

  private static URI uri(String line) {
    Matcher address = ADDRESS.matcher(line);
    assertThat(address.find()).as(line).isTrue();
    return URI.create("http://" + address.group());
  }

  private RunningProgram example(int gatewayPort) throws IOException {
    return SdkBuild.program(Repository.root().resolve("examples/ReadyPods.java"))
        .and("--server", "127.0.0.1:" + gatewayPort, "--apiserver", apiserver.toString())
        .in(folder)
        .start();
  }

  // ---- the cluster

  private void create(String namespace, String pod) {
    cluster.create(
        Resource.PODS,
        Json.parse(
            """
            {"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"%s","name":"%s"},
             "spec":{"containers":[{"name":"app","image":"web:1"}]}}
            """
                .formatted(namespace, pod)));
  }

  private void ready(String namespace, String pod, String status) {
    cluster.patchStatus(
        Resource.PODS,
        namespace,
        pod,
        """
        {"status":{"conditions":[{"type":"Initialized","status":"True"},
                                 {"type":"Ready","status":"%s"}]}}
        """
            .formatted(status));
  }

  private void awaitLabel(String namespace, String expected, RunningProgram example) {
    await()
        .atMost(LIMIT)
        .pollInterval(Duration.ofMillis(20))
        .untilAsserted(
            () ->
                assertThat(
                        cluster
                            .get(Resource.NAMESPACES, "", namespace)
                            .at("/metadata/labels/ready-pods")
                            .asText())
                    .as("%s; the example said %s %s", namespace, example.out(), example.err())
                    .isEqualTo(expected));
  }

  /** Returns the number of times that the example has printed the line. */
  private static long times(String line, RunningProgram example) {
    return example.out().stream().filter(line::equals).count();
  }
}
