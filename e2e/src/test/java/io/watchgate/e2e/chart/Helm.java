package io.watchgate.e2e.chart;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.gson.Gson;
import io.watchgate.e2e.ChildProcess;
import io.watchgate.e2e.Repository;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.program.GoProgram;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Command line of Helm with the chart of this repository; needs Go, which builds Helm. */
public final class Helm {
  static final Path CHART = Repository.root().resolve("gateway/deploy/chart");

  /** End of a command. Helm logs on stderr. */
  record Reply(int code, String out, String err) {}

  private static @Nullable Path built;

  private Helm() {}

  /** Returns the path of Helm, which is built first if need be. */
  public static synchronized Path path() throws Exception {
    Path known = built;
    if (known == null) {
      if (!Files.exists(Repository.cache("go").resolve("helm"))) {
        System.err.println("Building Helm: some minutes the first time.");
      }
      known =
          Path.of(
              GoProgram.build(Repository.root().resolve("e2e/helm"), "helm.sh/helm/v4/cmd/helm")
                  .command()
                  .getFirst());
      built = known;
    }
    return known;
  }

  static Reply run(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(path().toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    String home = Repository.target("helm").toString();
    builder
        .environment()
        .putAll(Map.of("HELM_CACHE_HOME", home, "HELM_CONFIG_HOME", home, "HELM_DATA_HOME", home));
    Process process = ChildProcess.start(builder);
    process.getOutputStream().close();
    CompletableFuture<String> err = CompletableFuture.supplyAsync(() -> text(process));
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Reply(process.waitFor(), out, err.join());
  }

  private static String text(Process process) {
    try {
      return new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      return e.toString();
    }
  }

  /** Runs a command that has to succeed, and returns its output. */
  static String output(String... arguments) throws Exception {
    Reply reply = run(arguments);
    if (reply.code() != 0) {
      throw new AssertionError(String.join(" ", arguments) + ": " + reply);
    }
    return reply.out();
  }

  /** Returns the objects of a release, by {@code helm template}. */
  static List<JsonNode> template(String release, String namespace, String... options)
      throws Exception {
    List<String> arguments =
        new ArrayList<>(List.of("template", release, CHART.toString(), "--namespace", namespace));
    arguments.addAll(List.of(options));
    return objects(output(arguments.toArray(String[]::new)));
  }

  /** Returns the objects of a text in YAML with several documents. */
  static List<JsonNode> objects(String yaml) {
    List<JsonNode> objects = new ArrayList<>();
    for (Object document : new Load(LoadSettings.builder().build()).loadAllFromString(yaml)) {
      if (document != null) {
        objects.add(Json.parse(Objects.requireNonNull(new Gson().toJson(document))));
      }
    }
    return objects;
  }

  /** Returns the path of values in the folder {@code ci} of the chart. */
  static String ci(String name) {
    return CHART.resolve("ci").resolve(name + ".yaml").toString();
  }
}
