package io.watchgate.e2e.documents;

import io.watchgate.e2e.OwnJvm;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.KubernetesProgram;
import io.watchgate.e2e.chart.Helm;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * Environment of a reader of the documents: a checkout, a home with a kubeconfig, a cluster with
 * pods.
 */
record ReaderEnvironment(
    Checkout checkout, Apiserver apiserver, Path folder, AtomicInteger terminals) {
  /** Name in the output of a table: a pod that matches every selection of the documents. */
  static final String POD = "web-1";

  /** Empties {@code folder} first; its final content remains for inspection. */
  static ReaderEnvironment make(Path folder, Apiserver apiserver) throws Exception {
    try (Stream<Path> old = Files.walk(folder)) {
      for (Path file : old.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
    Path kube = Files.createDirectories(folder.resolve("home/.kube"));
    Files.copy(apiserver.kubeconfig(), kube.resolve("config"));
    Path programs = Files.createDirectories(folder.resolve("bin"));
    Files.createSymbolicLink(programs.resolve("kubectl"), KubernetesProgram.KUBECTL.path());
    Files.createSymbolicLink(programs.resolve("helm"), Helm.path());
    apiserver.cluster().createNamespace("shop");
    apiserver
        .cluster()
        .create(
            Resource.PODS,
            Json.parse(
                """
                {"apiVersion":"v1","kind":"Pod",
                 "metadata":{"namespace":"shop","name":"%s","labels":{"app":"web"}},
                 "spec":{"containers":[{"name":"app","image":"web:1"}]}}\
                """
                    .formatted(POD)));
    return new ReaderEnvironment(
        Checkout.in(folder.resolve("watchgate")), apiserver, folder, new AtomicInteger());
  }

  /** Runs a script of the documents in a separate terminal. */
  Terminal open(String script) throws IOException {
    return new Terminal(
        checkout.addresses().in(script),
        checkout.root(),
        environment(),
        folder.resolve("terminal-" + terminals.incrementAndGet()));
  }

  /** Returns an environment with another home, except for downloads that are shared. */
  private Map<String, String> environment() {
    Path home = Path.of(System.getProperty("user.home"));
    Map<String, String> environment = new HashMap<>();
    environment.put("XDG_CACHE_HOME", home.resolve(".cache").toString());
    environment.put("GOPATH", home.resolve("go").toString());
    environment.put("npm_config_cache", home.resolve(".npm").toString());
    environment.putAll(System.getenv());
    environment.put("PATH", folder.resolve("bin") + File.pathSeparator + System.getenv("PATH"));
    environment.put("HOME", folder.resolve("home").toString());
    environment.put("WATCHGATE_JAVA_HOME", System.getProperty("java.home"));
    environment.put("WATCHGATE_AOT", "off");
    environment.put("WATCHGATE_JAVA_OPTS", String.join(" ", OwnJvm.compilers()));
    return environment;
  }

  /** Starts a demo. */
  Terminal demo() throws IOException {
    Terminal demo = open("exec ./watchgate demo");
    demo.awaitOutput("^EVENT");
    return demo;
  }

  /** Starts a gateway for the cluster, for blocks that use one; {@code more} are its options. */
  Terminal gateway(String... more) throws IOException {
    String options = String.join(" ", List.of(more));
    Terminal gateway = open("exec ./watchgate serve --kubeconfig ~/.kube/config " + options);
    gateway.awaitOutput("serving gRPC on");
    return gateway;
  }
}
