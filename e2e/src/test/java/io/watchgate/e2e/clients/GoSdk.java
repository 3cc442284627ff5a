package io.watchgate.e2e.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.e2e.Repository;
import io.watchgate.e2e.program.GoProgram;
import io.watchgate.e2e.program.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Go module of the SDK, {@code client-sdk/go}: its programs, tests and generated messages. */
final class GoSdk {
  static final Path MODULE = Repository.root().resolve("client-sdk/go");
  private static final String MESSAGES = "watchgatev1";

  private GoSdk() {}

  /** Returns the program of the conformance suite. */
  static Program conformance() throws Exception {
    return GoProgram.build(MODULE, "./cmd/watchgate-conformance");
  }

  /** Runs a command of Go in the module, and returns what it prints. */
  static String go(String... arguments) throws Exception {
    return Program.of("go").and(arguments).in(MODULE).run();
  }

  /**
   * Runs tests of the module, with the race detector if Go has a C compiler.
   *
   * @param name regular expression of their names
   */
  static String test(String name, Map<String, String> environment) throws Exception {
    Program test = Program.ofBuild("go", "test", "-count=1", "-v", "-timeout=9m", "-run=" + name);
    boolean detectsRaces = go("env", "CGO_ENABLED").strip().equals("1");
    return (detectsRaces ? test.and("-race") : test)
        .and("./...")
        .in(MODULE)
        .with(environment)
        .run();
  }

  /** Returns the generated files in the module by their names. */
  static Map<String, String> messages() throws IOException {
    return contents(MODULE.resolve(MESSAGES));
  }

  /** Returns the files that the contract generates now. */
  static Map<String, String> generated(Path folder) throws Exception {
    GoClient.generateMessages(folder);
    return contents(folder);
  }

  private static Map<String, String> contents(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      List<Path> found = files.toList();
      assertThat(found).isNotEmpty();
      Map<String, String> contents = new TreeMap<>();
      for (Path file : found) {
        contents.put(file.getFileName().toString(), Files.readString(file));
      }
      return contents;
    }
  }

  /**
   * Returns the beginnings of the declarations of exported types and functions.
   *
   * @param name folder of the package, with a leading slash; empty: the module's own
   */
  static List<String> declarations(String name) throws IOException {
    try (Stream<Path> files = Files.list(Path.of(MODULE + name))) {
      StringBuilder sources = new StringBuilder();
      for (Path file : files.toList()) {
        if (file.toString().endsWith(".go") && !file.toString().endsWith("_test.go")) {
          sources.append(Files.readString(file));
        }
      }
      return Pattern.compile("^(type|func) [A-Z]\\w*\\b", Pattern.MULTILINE)
          .matcher(sources)
          .results()
          .map(MatchResult::group)
          .toList();
    }
  }

  /** Packs the module as for a release, and returns the folder of the module proxy. */
  static Path proxy(Path folder) throws Exception {
    Path archive = folder.resolve("module.tgz");
    Program.of(MODULE.resolve("build").toString(), archive.toString()).run();
    Path proxy = Files.createDirectories(folder.resolve("proxy"));
    Program.of("tar", "--extract", "--file", archive.toString(), "--directory", proxy.toString())
        .run();
    return proxy;
  }

  /** Builds a program in a folder of its own that has nothing but the packed module. */
  static Program program(String source, Path proxy, Path folder) throws Exception {
    return program(source, MODULE, proxy, folder);
  }

  /**
   * Builds a program with one of the packed modules.
   *
   * @param module folder of the module
   */
  static Program program(String source, Path module, Path proxy, Path folder) throws Exception {
    Path sources = Files.createDirectories(folder.resolve("program"));
    Files.writeString(sources.resolve("main.go"), source);
    // The other modules come from the cache, and have the sums that the module names.
    Files.copy(module.resolve("go.sum"), sources.resolve("go.sum"));
    String cached = "file://" + go("env", "GOMODCACHE").strip() + "/cache/download";
    Map<String, String> environment =
        Map.of(
            "GOPROXY",
            "file://" + proxy + "," + cached + "," + go("env", "GOPROXY").strip(),
            "GOMODCACHE",
            folder.resolve("modules").toString(),
            "GOFLAGS",
            "-modcacherw",
            "GOSUMDB",
            "off");
    String name = "watchgate.io/client/" + MODULE.relativize(module);
    // Without -trimpath Go compiles each package again for the new folder.
    for (String command :
        List.of(
            "mod init example",
            "get " + name.replaceFirst("/$", ""),
            "build -mod=mod -trimpath -o program .")) {
      Program.ofBuild("go").and(command.split(" ")).in(sources).with(environment).run();
    }
    return Program.of(sources.resolve("program").toString()).in(sources);
  }
}
