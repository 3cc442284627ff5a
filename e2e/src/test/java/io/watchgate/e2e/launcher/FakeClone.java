package io.watchgate.e2e.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.e2e.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Clone with the real launcher and a fake machine around it: the JDKs in {@code jvm}, an empty
 * home, and a PATH with a Maven that only creates a jar. The launcher's text is changed to search
 * other folders for JDKs, so that this machine's JDKs are not found.
 */
final class FakeClone {
  private static final String FINDER = ".mvn/tools/find-java";
  private static final String RUNTIME = "gateway/deploy/runtime";

  private static final List<String> TOOLS =
      List.of(
          "cat",
          "cp",
          "date",
          "dirname",
          "find",
          "grep",
          "head",
          "ls",
          "mkdir",
          "mv",
          "nice",
          "readlink",
          "rm",
          "rmdir",
          "chmod",
          "sed",
          "sleep",
          "tail",
          "touch",
          "tr");

  private final Path machine;
  private final Map<String, String> environment = new HashMap<>();

  FakeClone(Path machine) throws IOException {
    this.machine = machine;
    String finder = Files.readString(Repository.root().resolve(FINDER));
    for (String folder : List.of("/usr/lib/jvm", "/opt", "/Library/Java")) {
      assertThat(finder).contains(" " + folder + "/");
      String instead = folder.endsWith("jvm") ? "/jvm" : "/nowhere";
      finder = finder.replace(" " + folder + "/", " " + machine + instead + "/");
    }
    script(root().resolve(FINDER), finder);
    for (String file : List.of("watchgate", RUNTIME)) {
      script(root().resolve(file), Files.readString(Repository.root().resolve(file)));
    }
    for (String module : List.of("proto", "client-sdk/java", "gateway/core")) {
      Files.createDirectories(root().resolve(module + "/src/main"));
      Files.createFile(root().resolve(module + "/pom.xml"));
    }
    Files.createFile(root().resolve("pom.xml"));
    for (String tool : TOOLS) {
      script(machine.resolve("bin/" + tool), "#!/bin/sh\nexec '" + find(tool) + "' \"$@\"\n");
    }
    maven(
        """
        echo built >>built
        mkdir -p gateway/cli/target/lib
        touch gateway/cli/target/watchgate-cli-1.jar
        """);
    environment.put("PATH", machine.resolve("bin").toString());
    environment.put("HOME", machine.resolve("home").toString());
  }

  /** Adds the help text of a command. */
  void help(String command, String text) throws IOException {
    Path folder = Files.createDirectories(root().resolve(".mvn/tools/help"));
    Files.writeString(folder.resolve(command), text);
  }

  private static Path find(String tool) {
    return List.of(System.getenv("PATH").split(":")).stream()
        .map(folder -> Path.of(folder, tool))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow();
  }

  Path root() {
    return machine.resolve("clone");
  }

  /** Returns the script that builds the image's runtime. */
  Path runtime() {
    return root().resolve(RUNTIME);
  }

  Path launcher() {
    return root().resolve("watchgate");
  }

  void set(String name, Object value) {
    environment.put(name, value.toString());
  }

  /**
   * Creates a JDK whose java prints its version and its arguments, and then executes {@code then}.
   */
  Path jdk(String version, String then) throws IOException {
    Path jdk = machine.resolve("jvm/jdk-" + version);
    script(jdk.resolve("bin/java"), "#!/bin/sh\necho \"java " + version + " $*\"\n" + then);
    Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");
    return jdk;
  }

  /** Adds a program to a JDK, or replaces it. */
  void program(Path jdk, String name, String script) throws IOException {
    script(jdk.resolve("bin/" + name), "#!/bin/sh\n" + script + "\n");
  }

  /** Replaces Maven; the script runs in the clone. */
  void maven(String script) throws IOException {
    script(machine.resolve("bin/mvn"), "#!/bin/sh\n" + script);
  }

  /** Replaces a tool of the machine by a script. */
  void replace(String tool, String script) throws IOException {
    script(machine.resolve("bin/" + tool), "#!/bin/sh\n" + script);
  }

  void withoutMaven() throws IOException {
    Files.delete(machine.resolve("bin/mvn"));
  }

  /** Creates the results of a build, without a trained cache. */
  void built() throws IOException {
    Path cache = Files.createDirectories(root().resolve(".cache/watchgate"));
    Files.createDirectories(app());
    Files.createFile(app().resolve("watchgate.jar"));
    Files.writeString(cache.resolve("current"), "app\n");
  }

  /** Returns the copy of the build that {@link #built} creates. */
  Path app() {
    return root().resolve(".cache/watchgate/app");
  }

  /** Adds the script that trains, and the folder of its caches. */
  void trainable() throws IOException {
    String name = ".mvn/tools/train";
    script(root().resolve(name), Files.readString(Repository.root().resolve(name)));
    Files.createDirectories(app().resolve("aot"));
  }

  int builds() throws IOException {
    Path builds = root().resolve("built");
    return Files.exists(builds) ? Files.readAllLines(builds).size() : 0;
  }

  private static void script(Path file, String text) throws IOException {
    Files.createDirectories(Optional.ofNullable(file.getParent()).orElseThrow());
    Files.writeString(file, text);
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  /** Result of a command. */
  record Result(int code, String out, String err) {}

  Process start(Path folder, Path command, String... arguments) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command.toString());
    builder.command().addAll(List.of(arguments));
    builder.directory(folder.toFile()).environment().clear();
    builder.environment().putAll(environment);
    builder.redirectOutput(machine.resolve("out").toFile());
    builder.redirectError(machine.resolve("err").toFile());
    return builder.start();
  }

  Result end(Process process) throws IOException, InterruptedException {
    int code = process.waitFor();
    return new Result(code, out(), Files.readString(machine.resolve("err")));
  }

  String out() throws IOException {
    return Files.readString(machine.resolve("out"));
  }

  Result run(String... arguments) throws IOException, InterruptedException {
    return end(start(machine, launcher(), arguments));
  }
}
