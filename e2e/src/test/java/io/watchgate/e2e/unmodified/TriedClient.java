package io.watchgate.e2e.unmodified;

import io.watchgate.e2e.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Client that tests run at a gateway, with its version. What they tried is recorded, and at the end
 * of the build {@code .mvn/tools/ClientTable.java} compares the record with the page about
 * unmodified clients.
 */
public enum TriedClient {
  KUBECTL(
      "kubectl",
      "`get`, `get -w`, `get --raw`, `wait`, `create`, `label`, `patch`, `delete`",
      "e2e/apiserver/go.mod",
      "k8s.io/kubernetes v"),
  CLIENT_GO(Text.CLIENT_GO, Text.GO_INFORMERS, "e2e/apiserver/go.mod", Text.CLIENT_GO_MODULE),
  OLDEST_CLIENT_GO(
      Text.CLIENT_GO, Text.GO_INFORMERS, "e2e/clients/client-go/oldest.mod", Text.CLIENT_GO_MODULE),
  NEWEST_CLIENT_GO(
      Text.CLIENT_GO, Text.GO_INFORMERS, "e2e/clients/client-go/go.mod", Text.CLIENT_GO_MODULE),
  CONTROLLER_RUNTIME(
      "controller-runtime",
      "a manager that reads here, by `NewCache`, and writes at the apiserver",
      "e2e/clients/controller-runtime/go.mod",
      "sigs.k8s.io/controller-runtime v"),
  KUBE_STATE_METRICS(
      "kube-state-metrics",
      "the same metrics",
      "e2e/clients/kube-state-metrics/go.mod",
      "k8s.io/kube-state-metrics/v2 v"),
  PROMETHEUS(
      "Prometheus",
      "discovery of pods: the same targets. 0.316 is the version of the Go module; the program of"
          + " the same release is 3.16",
      "e2e/clients/prometheus/go.mod",
      "github.com/prometheus/prometheus v"),
  OFFICIAL_JAVA(
      "official Java client",
      "informer, which has no bookmarks",
      "pom.xml",
      "<client-java.version>"),
  OFFICIAL_PYTHON(
      "official Python client", Text.PYTHON_WATCH, Text.PYTHON_PACKAGES, "\nkubernetes=="),
  ASYNCIO_PYTHON("kubernetes_asyncio", Text.PYTHON_WATCH, Text.PYTHON_PACKAGES, "_asyncio=="),
  LIGHTKUBE(
      "lightkube",
      Text.PYTHON_WATCH,
      "e2e/src/test/python/lightkube-requirements.txt",
      "\nlightkube=="),
  JAVASCRIPT_1(Text.JAVASCRIPT, Text.JAVASCRIPT_INFORMER, Text.NODE_PACKAGES, "-1\": \"npm:"),
  JAVASCRIPT_2(Text.JAVASCRIPT, Text.JAVASCRIPT_INFORMER, Text.NODE_PACKAGES, "-2\": \"npm:"),
  KUBE_RS(
      "kube-rs",
      "watcher; it begins with a list or a streaming list: both",
      "e2e/clients/kube-rs/Cargo.toml",
      "kube = { version = \"="),
  FABRIC8(
      "fabric8",
      "informer; it begins with a list, or with a streaming list (`watchList`): both; its attempt"
          + " by WebSocket is answered so that it goes on without",
      "pom.xml",
      "<kubernetes-client.version>");

  /** Texts of several clients. */
  private static final class Text {
    static final String CLIENT_GO = "client-go";
    static final String CLIENT_GO_MODULE = "k8s.io/client-go v";
    static final String GO_INFORMERS =
        "informers: typed, of metadata, dynamic; each was made to begin with a list, the default"
            + " before 0.35, and with a streaming list, the default since";
    static final String PYTHON_WATCH = "list and watch, over HTTP/1.1";
    static final String PYTHON_PACKAGES = "e2e/src/test/python/requirements.txt";
    static final String JAVASCRIPT = "official JavaScript client";
    static final String JAVASCRIPT_INFORMER =
        "informer; version 2 needs Node 22, and ends a watch that received nothing for 30 s; the"
            + " test shortens this to 50 ms";
    static final String NODE_PACKAGES = "e2e/clients/client-node/package.json";

    private Text() {}
  }

  /** Circumstances under which a client had the apiserver's state. */
  public enum Circumstance {
    CHANGES,
    RECONNECTS,
    RESTARTS
  }

  private final String title;
  private final String what;
  private final String file;
  private final String beforeVersion;

  /**
   * @param file file with the version that the tests use, relative to the repository
   * @param beforeVersion text before the version in the file
   */
  TriedClient(String title, String what, String file, String beforeVersion) {
    this.title = title;
    this.what = what;
    this.file = file;
    this.beforeVersion = beforeVersion;
  }

  /** Records that a test has tried the client at a gateway, with success. */
  public void record(Circumstance circumstance) throws IOException {
    String line =
        String.join("\t", title, version(), what, circumstance.name().toLowerCase(Locale.ROOT))
            + "\n";
    Files.writeString(
        Repository.target("clients").resolve("tried.tsv"),
        line,
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  /** Returns the major and minor version. */
  public String version() throws IOException {
    Path pins = Repository.root().resolve(file);
    Matcher version =
        Pattern.compile(Pattern.quote(beforeVersion) + "[^\\d\"]*(\\d+\\.\\d+)\\.\\d+")
            .matcher("\n" + Files.readString(pins));
    if (!version.find()) {
      throw new IllegalStateException("no version of " + title + " in " + pins);
    }
    return version.group(1);
  }
}
