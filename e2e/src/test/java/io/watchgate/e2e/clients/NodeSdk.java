package io.watchgate.e2e.clients;

import io.watchgate.e2e.Repository;
import io.watchgate.e2e.program.Digest;
import io.watchgate.e2e.program.PackageCache;
import io.watchgate.e2e.program.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Package of {@code client-sdk/node}, installed into folders of its own. */
public final class NodeSdk {
  public static final Path SOURCES = Repository.root().resolve("client-sdk/node");

  private static final Path TARGET = Repository.target("node-sdk");

  private static @Nullable Path release;

  private NodeSdk() {}

  /** Makes the package. */
  static Path build(String folder) throws Exception {
    return build(emptied(TARGET.resolve(folder)), List.of());
  }

  /** Returns the package, which is made once for all tests, with its reference. */
  public static synchronized Path release() throws Exception {
    Path made = release;
    if (made == null) {
      Path files = emptied(TARGET.resolve("release"));
      made = build(files, List.of(reference().toString()));
      release = made;
    }
    return made;
  }

  private static Path build(Path files, List<String> reference) throws Exception {
    Program.ofBuild(SOURCES.resolve("build").toString(), files.toString())
        .and(reference.toArray(String[]::new))
        .run();
    try (Stream<Path> made = Files.list(files)) {
      return made.filter(file -> file.toString().endsWith(".tgz")).findAny().orElseThrow();
    }
  }

  /** Returns the folder with the reference of {@link #release}. */
  static Path reference() {
    return TARGET.resolve("release/reference");
  }

  /**
   * Installs the package into a folder, emptied first, that has the packages of {@code
   * tests/VERSIONS} and the tests, and returns it.
   */
  public static Path install(Path file, String versions, String name) throws Exception {
    Path sources = SOURCES.resolve("tests").resolve(versions);
    String lock = Files.readString(sources.resolve("package-lock.json"));
    Path packages =
        PackageCache.folder(
            "node-packages",
            Digest.of(lock + Program.of("node", "--version").run()),
            created -> {
              copy(sources.resolve("."), created);
              Program.ofBuild("npm", "ci").in(created).run();
            });
    Path folder = emptied(TARGET.resolve(name));
    copy(packages.resolve("."), folder);
    copy(SOURCES.resolve("tests"), folder);
    Program.ofBuild(
            "npm", "install", "--prefer-offline", "--no-save", "--no-package-lock", file.toString())
        .in(folder)
        .run();
    return folder;
  }

  /**
   * Returns a program of a fresh folder with the package.
   *
   * @param name name of the folder; no two may be made at once with the same name
   */
  public static Program installed(String name, Path source) throws Exception {
    Path folder = install(release(), "highest", name);
    // It finds the package beside it.
    Path program = Files.copy(source, folder.resolve(source.getFileName()));
    return program(folder, program.toString());
  }

  /** Returns the files with the tests of a folder with the package. */
  static String[] tests(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder.resolve("tests"))) {
      return files
          .map(Path::toString)
          .filter(file -> file.endsWith(".test.mjs"))
          .toArray(String[]::new);
    }
  }

  /** Returns a program of a folder with the package. */
  static Program program(Path folder, String... arguments) {
    return Program.of("node").and(arguments).in(folder);
  }

  private static Path emptied(Path folder) throws Exception {
    Program.of("rm", "-rf", folder.toString()).run();
    return Files.createDirectories(folder);
  }

  private static void copy(Path from, Path to) throws IOException, InterruptedException {
    Program.of("cp", "-a", from.toString(), to.toString()).run();
  }
}
