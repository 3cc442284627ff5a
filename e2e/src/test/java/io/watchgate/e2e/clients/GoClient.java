package io.watchgate.e2e.clients;

import io.watchgate.e2e.Repository;
import io.watchgate.e2e.program.GoProgram;
import io.watchgate.e2e.program.Program;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * {@code examples/go}, built in a copy of its folder, because the stubs are generated beside the
 * sources.
 */
final class GoClient {
  private static final Path SOURCES = Repository.root().resolve("examples/go");
  private static final Path TOOLS = Repository.root().resolve("e2e/tools");

  private GoClient() {}

  /** Returns the program of a package of the module, {@code .} or {@code ./minimal}. */
  static synchronized Program prepare(String target) throws Exception {
    Path copy = Repository.target("go");
    for (Path stale : files(copy)) {
      Files.delete(stale);
    }
    for (Path file : files(SOURCES)) {
      Path copied = copy.resolve(SOURCES.relativize(file));
      Files.createDirectories(copied.getParent());
      Files.copy(file, copied);
    }
    generateMessages(copy.resolve("watchgatev1"));
    return GoProgram.build(copy, target);
  }

  /** Generates the messages of the contract into a folder. */
  static void generateMessages(Path folder) throws Exception {
    Program.ofBuild("go", "run", "./stubs")
        .and(Repository.root().resolve("proto/src/main/protobuf").toString())
        .and("watchgate/v1/watch.proto", folder.toString())
        .in(TOOLS)
        .run();
  }

  /** Returns the files of the module, without generated stubs. */
  private static List<Path> files(Path folder) throws Exception {
    try (Stream<Path> files = Files.walk(folder)) {
      return files
          .filter(Files::isRegularFile)
          .filter(file -> !file.startsWith(folder.resolve("watchgatev1")))
          .toList();
    }
  }
}
