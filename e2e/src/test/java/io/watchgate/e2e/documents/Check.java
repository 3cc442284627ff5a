package io.watchgate.e2e.documents;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.watchgate.e2e.Repository;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Check of a code block, which may run it. */
@FunctionalInterface
interface Check {
  void run(Block block, ReaderEnvironment environment) throws Exception;

  /** Runs the block as a script until its output matches {@code pattern}, then stops it. */
  static Check prints(String pattern) {
    return (block, environment) -> {
      List<String> commands = new ArrayList<>(block.commands());
      // Replaces the shell, so that the command itself receives the signal.
      commands.add("exec " + commands.removeLast());
      try (Terminal terminal = environment.open(String.join("\n", commands))) {
        terminal.awaitOutput(pattern);
      }
    };
  }

  /**
   * Runs each command in a separate terminal, one after the other; stops them in reverse order.
   *
   * @param patterns of the outputs; an empty one waits for the success of a command instead
   */
  static Check eachPrints(String... patterns) {
    return eachPrints(-1, patterns);
  }

  /**
   * Runs each command like {@link #eachPrints(String...)}, and the last one again while it succeeds
   * without its output, because a cache has to be loaded first.
   */
  static Check eachPrintsOnceLoaded(String... patterns) {
    return eachPrints(patterns.length - 1, patterns);
  }

  private static Check eachPrints(int repeated, String... patterns) {
    return (block, environment) -> {
      List<String> commands = block.commands();
      assertThat(commands).hasSameSizeAs(patterns);
      List<Terminal> open = new ArrayList<>();
      try {
        for (int i = 0; i < patterns.length; i++) {
          String command = "exec " + commands.get(i);
          open.add(environment.open(command));
          if (patterns[i].isEmpty()) {
            open.getLast().awaitSuccess();
          } else {
            Instant end = Instant.now().plus(Terminal.LIMIT);
            while (i == repeated
                && !open.getLast().findsOutput(patterns[i])
                && Instant.now().isBefore(end)) {
              open.add(environment.open(command));
            }
            open.getLast().awaitOutput(patterns[i]);
          }
        }
      } finally {
        Collections.reverse(open);
        for (Terminal terminal : open) {
          terminal.close();
        }
      }
    };
  }

  /** Runs the block, with CLONE as the checkout, and checks that the stubs are in its folder. */
  static Check makesGoStubs() {
    return (block, environment) -> {
      Path root = environment.checkout().root();
      String script = String.join("\n", block.commands()).replace("CLONE", root.toString());
      try (Terminal terminal = environment.open(script + "\necho made")) {
        terminal.awaitOutput("^made$");
      }
      assertThat(root.resolve("watchgatev1")).isDirectoryContaining("glob:**/watch.pb.go");
      assertThat(root.resolve("watchgatev1")).isDirectoryContaining("glob:**/watch_grpc.pb.go");
    };
  }

  /** Runs the first commands to their end, then each other one as {@link #eachPrints} does. */
  static Check afterCommands(int count, String... patterns) {
    return (block, environment) -> {
      List<String> commands = block.commands();
      String preparation = String.join("\n", commands.subList(0, count));
      try (Terminal terminal = environment.open(preparation + "\necho prepared")) {
        terminal.awaitOutput("^prepared$");
      }
      List<String> others = commands.subList(count, commands.size());
      eachPrints(patterns)
          .run(new Block(block.document(), block.line(), block.language(), others), environment);
    };
  }

  /** Checks that each line of a diagram is an edge, whose nodes have a text or occur elsewhere. */
  static Check isFlowchart() {
    String node = "\\w+(\\[[^\\]]+\\])?";
    return (block, environment) -> {
      assertThat(block.language()).isEqualTo("mermaid");
      assertThat(block.lines().getFirst()).isEqualTo("flowchart LR");
      assertThat(block.lines().stream().skip(1).map(String::strip))
          .allMatch(line -> line.matches(node + " --(> | \"[^\"]+\" --> )" + node));
    };
  }

  /** For commands that cannot run within the build: checks that Maven would accept the command. */
  static Check mavenUnderstands() {
    return (block, environment) -> block.commands().forEach(MavenCommand::check);
  }

  /** For scripts that another test runs, because they take minutes: checks that they exist. */
  static Check isAScript() {
    return (block, environment) -> {
      assertThat(block.commands()).hasSize(1);
      assertThat(Repository.root().resolve(block.commands().getFirst())).isExecutable();
    };
  }

  /** Checks that the code occurs in one of the sources, which are compiled. */
  static Check compiledIn(String... sources) {
    return (block, environment) -> {
      List<String> texts = new ArrayList<>();
      for (String source : sources) {
        texts.add(flat(Files.readAllLines(Repository.root().resolve(source))));
      }
      assertThat(texts).anyMatch(text -> text.contains(flat(block.lines())));
    };
  }

  /** Checks that the code is the whole of a source, which a test runs. */
  static Check isTheFile(String source) {
    return (block, environment) ->
        assertThat(block.lines()).isEqualTo(Files.readAllLines(Repository.root().resolve(source)));
  }

  /**
   * Checks the dependency declaration of a project that depends on the module: its names and its
   * version.
   */
  static Check isThePomOf(String module) {
    return (block, environment) -> {
      String pom = Files.readString(Repository.root().resolve(module + "/pom.xml"));
      List<String> named =
          Pattern.compile("<(groupId|artifactId|version)>.*?</\\1>")
              .matcher(block.text())
              .results()
              .map(MatchResult::group)
              .toList();
      assertThat(named).hasSize(3).allSatisfy(name -> assertThat(pom).contains(name));
    };
  }

  private static String flat(List<String> lines) {
    return lines.stream().map(String::strip).collect(Collectors.joining("\n"));
  }

  /** Checks that the apiserver accepts a pod with the block. */
  static Check isValidPodSpecPart() {
    return (block, environment) -> {
      JsonObject pod =
          JsonParser.parseString(
                  """
                  {"apiVersion":"v1","kind":"Pod",
                   "metadata":{"namespace":"shop","name":"with-it"},
                   "spec":{"serviceAccountName":"default","containers":[{"name":"app","image":"web:1"}]}}\
                  """)
              .getAsJsonObject();
      Object part = new Load(LoadSettings.builder().build()).loadFromString(block.text());
      new Gson()
          .toJsonTree(part)
          .getAsJsonObject()
          .entrySet()
          .forEach(field -> pod.getAsJsonObject("spec").add(field.getKey(), field.getValue()));
      environment.apiserver().cluster().create(Resource.PODS, Json.parse(pod.toString()));
    };
  }

  /**
   * Runs the block with an account that has no rights, and checks that it prints the missing ones.
   */
  static Check printsRightsToGrant() {
    return (block, environment) -> {
      LaptopRecipe.createUnlessPresent(
          environment.apiserver().cluster(),
          Resource.NAMESPACES,
          """
          {"apiVersion":"v1","kind":"Namespace","metadata":{"name":"watchgate"}}\
          """);
      LaptopRecipe.createUnlessPresent(
          environment.apiserver().cluster(),
          new Resource("", "v1", "serviceaccounts", "ServiceAccount"),
          """
          {"apiVersion":"v1","kind":"ServiceAccount",
           "metadata":{"namespace":"watchgate","name":"watchgate"}}\
          """);
      prints("kind: ServiceAccount, namespace: \"watchgate\", name: \"watchgate\"")
          .run(block, environment);
    };
  }

  /** Checks that an account with only this role can run a gateway. */
  static Check isRoleEnoughForAGateway() {
    return (block, environment) -> {
      Object role = new Load(LoadSettings.builder().build()).loadFromString(block.text());
      String rbac = "rbac.authorization.k8s.io";
      environment
          .apiserver()
          .cluster()
          .create(
              new Resource(rbac, "v1", "clusterroles", "ClusterRole"),
              Json.parse(new Gson().toJson(role)));
      environment
          .apiserver()
          .cluster()
          .create(
              new Resource(rbac, "v1", "clusterrolebindings", "ClusterRoleBinding"),
              Json.parse(
                  """
                  {"apiVersion":"%s/v1","kind":"ClusterRoleBinding","metadata":{"name":"watchgate"},
                   "roleRef":{"apiGroup":"%s","kind":"ClusterRole","name":"watchgate"},
                   "subjects":[{"apiGroup":"%s","kind":"User","name":"limited"}]}\
                  """
                      .formatted(rbac, rbac, rbac)));
      try (Terminal gateway = environment.gateway("--context limited");
          Terminal pods = environment.open("exec ./watchgate watch pods")) {
        assertThat(gateway.output()).contains("serving gRPC");
        pods.awaitOutput(ReaderEnvironment.POD);
      }
    };
  }
}
