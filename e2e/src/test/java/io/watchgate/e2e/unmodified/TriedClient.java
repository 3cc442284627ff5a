package io.watchgate.e2e.unmodified;

import io.watchgate.e2e.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.Set;
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
      "`get`, `get -w`, `get --raw`, `wait`, `rollout status`, `create`, `label`, `patch`,"
          + " `delete`",
      "e2e/apiserver/go.mod",
      "k8s.io/kubernetes v",
      Circumstance.CHANGES),
  CLIENT_GO(
      Text.CLIENT_GO,
      Text.GO_INFORMERS,
      "e2e/apiserver/go.mod",
      Text.CLIENT_GO_MODULE,
      Circumstance.CHANGES,
      Circumstance.RESTARTS),
  OLDEST_CLIENT_GO(
      Text.CLIENT_GO,
      Text.GO_INFORMERS,
      "e2e/clients/client-go/oldest.mod",
      Text.CLIENT_GO_MODULE,
      Circumstance.CHANGES,
      Circumstance.RESTARTS),
  NEWEST_CLIENT_GO(
      Text.CLIENT_GO,
      Text.GO_INFORMERS,
      "e2e/clients/client-go/go.mod",
      Text.CLIENT_GO_MODULE,
      Circumstance.CHANGES,
      Circumstance.RESTARTS),
  OLDEST_RETRY_WATCHER(
      Text.RETRY_WATCHER,
      Text.LIST_THEN_WATCH,
      "e2e/clients/client-go/oldest.mod",
      Text.CLIENT_GO_MODULE,
      Circumstance.CHANGES,
      Circumstance.RESTARTS),
  NEWEST_RETRY_WATCHER(
      Text.RETRY_WATCHER,
      Text.LIST_THEN_WATCH,
      "e2e/clients/client-go/go.mod",
      Text.CLIENT_GO_MODULE,
      Circumstance.CHANGES,
      Circumstance.RESTARTS),
  CONTROLLER_RUNTIME(
      "controller-runtime",
      "a manager that reads here, by `NewCache`, and writes at the apiserver",
      "e2e/clients/controller-runtime/go.mod",
      "sigs.k8s.io/controller-runtime v",
      Circumstance.CHANGES,
      Circumstance.RESTARTS),
  KUBE_STATE_METRICS(
      "kube-state-metrics",
      "the same metrics",
      "e2e/clients/kube-state-metrics/go.mod",
      "k8s.io/kube-state-metrics/v2 v",
      Circumstance.CHANGES,
      Circumstance.RESTARTS),
  PROMETHEUS(
      "Prometheus, as a Go module",
      "discovery of pods: the same targets; the program Prometheus 3.N has the module 0.3N",
      "e2e/clients/prometheus/go.mod",
      "github.com/prometheus/prometheus v",
      Circumstance.CHANGES,
      Circumstance.RESTARTS),
  OFFICIAL_JAVA(
      "official Java client",
      "informer, which has no bookmarks",
      "pom.xml",
      "<client-java.version>",
      Circumstance.CHANGES,
      Circumstance.RESTARTS),
  OFFICIAL_PYTHON(
      "official Python client",
      Text.PYTHON_WATCH,
      Text.PYTHON_PACKAGES,
      "\nkubernetes==",
      Circumstance.CHANGES,
      Circumstance.RESTARTS),
  ASYNCIO_PYTHON(
      "kubernetes_asyncio",
      Text.PYTHON_WATCH,
      Text.PYTHON_PACKAGES,
      "_asyncio==",
      Circumstance.CHANGES,
      Circumstance.RESTARTS),
  LIGHTKUBE(
      "lightkube",
      Text.PYTHON_WATCH,
      "e2e/src/test/python/lightkube-requirements.txt",
      "\nlightkube==",
      Circumstance.CHANGES),
  KR8S(
      "kr8s",
      "list, and a watch from the newest version of a listed object, over HTTP/1.1",
      "e2e/src/test/python/kr8s-requirements.txt",
      "\nkr8s==",
      Circumstance.CHANGES),
  JAVASCRIPT_1(
      Text.JAVASCRIPT,
      Text.JAVASCRIPT_INFORMER,
      Text.NODE_PACKAGES,
      "-1\": \"npm:",
      Circumstance.CHANGES,
      Circumstance.RESTARTS),
  JAVASCRIPT_2(
      Text.JAVASCRIPT,
      Text.JAVASCRIPT_INFORMER,
      Text.NODE_PACKAGES,
      "-2\": \"npm:",
      Circumstance.CHANGES,
      Circumstance.RECONNECTS,
      Circumstance.RESTARTS),
  KUBE_RS(
      "kube-rs",
      "watcher; it begins with a list or a streaming list: both",
      "e2e/clients/kube-rs/Cargo.toml",
      "kube = { version = \"=",
      Circumstance.CHANGES,
      Circumstance.RESTARTS),
  FABRIC8(
      "fabric8",
      "informer that begins with a list; its attempt by WebSocket is answered so that it goes on"
          + " without",
      "pom.xml",
      Text.FABRIC8_VERSION,
      Circumstance.CHANGES,
      Circumstance.RESTARTS),
  FABRIC8_WITH_WATCH_LIST(
      "fabric8 with `watchList`",
      "informer that begins with a streaming list",
      "pom.xml",
      Text.FABRIC8_VERSION,
      Circumstance.CHANGES);

  /** Texts of several clients. */
  private static final class Text {
    static final String CLIENT_GO = "client-go";
    static final String CLIENT_GO_MODULE = "k8s.io/client-go v";
    static final String GO_INFORMERS =
        "informers: dynamic; at the oldest and the newest of these versions also typed and of"
            + " metadata; each was made to begin with a list, the default before 0.35, and with a"
            + " streaming list, the default since";
    static final String RETRY_WATCHER = "RetryWatcher of client-go";
    static final String LIST_THEN_WATCH =
        "a list, then watches from the last version; only the gateway was restarted: a restart of"
            + " the apiserver ends a RetryWatcher with code 410, also without a gateway";
    static final String PYTHON_WATCH = "list and watch, over HTTP/1.1";
    static final String PYTHON_PACKAGES = "e2e/src/test/python/requirements.txt";
    static final String JAVASCRIPT = "official JavaScript client";
    static final String JAVASCRIPT_INFORMER =
        "informer; version 2 needs Node 22, and ends a watch that received nothing for 30 s; the"
            + " test shortens this to 50 ms";
    static final String NODE_PACKAGES = "e2e/clients/client-node/package.json";
    static final String FABRIC8_VERSION = "<kubernetes-client.version>";

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

  @SuppressWarnings("ImmutableEnumChecker") // the set is immutable
  private final Set<Circumstance> circumstances;

  /**
   * @param file file with the version that the tests use, relative to the repository
   * @param beforeVersion text before the version in the file
   * @param circumstances all circumstances that the tests have
   */
  TriedClient(
      String title, String what, String file, String beforeVersion, Circumstance... circumstances) {
    this.title = title;
    this.what = what;
    this.file = file;
    this.beforeVersion = beforeVersion;
    this.circumstances = Set.of(circumstances);
  }

  /** Records that a test has tried the client at a gateway, with success. */
  public void record(Circumstance circumstance) throws IOException {
    if (!circumstances.contains(circumstance)) {
      throw new IllegalArgumentException(this + " does not declare " + circumstance);
    }
    Files.writeString(
        Repository.target("clients").resolve("tried.tsv"),
        line(circumstance),
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  /** Returns what a build records in which all tests of the client run. */
  String lines() throws IOException {
    StringBuilder lines = new StringBuilder();
    for (Circumstance circumstance : circumstances) {
      lines.append(line(circumstance));
    }
    return lines.toString();
  }

  private String line(Circumstance circumstance) throws IOException {
    String name = circumstance.name().toLowerCase(Locale.ROOT);
    return String.join("\t", title, version(), what, name) + "\n";
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
