package io.watchgate.e2e.clients;

import io.watchgate.e2e.Repository;
import io.watchgate.e2e.program.Digest;
import io.watchgate.e2e.program.PackageCache;
import io.watchgate.e2e.program.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Wheel of {@code client-sdk/python}, installed into virtual environments of its own. */
public final class PythonSdk {
  static final Path SOURCES = Repository.root().resolve("client-sdk/python");

  private static final Path TARGET = Repository.target("python-sdk");

  private static @Nullable Path release;

  private PythonSdk() {}

  /**
   * Returns the folder of the wheel and the sdist, which are made once for all tests, with the
   * reference.
   */
  static synchronized Path release() throws Exception {
    Path made = release;
    if (made == null) {
      Program.of("rm", "-rf", reference().toString()).run();
      made = build("release", List.of(reference().toString()));
      release = made;
    }
    return made;
  }

  /** Makes the wheel and the sdist, and returns their folder. */
  static Path build(String folder) throws Exception {
    return build(folder, List.of());
  }

  private static Path build(String folder, List<String> reference) throws Exception {
    Path files = TARGET.resolve(folder);
    if (Files.exists(files)) {
      for (Path stale : list(files)) {
        Files.delete(stale);
      }
    }
    Program.ofBuild(SOURCES.resolve("build").toString(), files.toString())
        .and(reference.toArray(String[]::new))
        .run();
    return files;
  }

  /** Returns the folder with the reference of {@link #release}. */
  static Path reference() {
    return TARGET.resolve("reference");
  }

  /** Returns the file of a release whose name ends so. */
  static Path file(Path folder, String ending) throws IOException {
    return list(folder).stream()
        .filter(file -> file.toString().endsWith(ending))
        .findAny()
        .orElseThrow();
  }

  static List<Path> list(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.sorted().toList();
    }
  }

  /**
   * Installs the wheel into a fresh environment, where its requirements find only the packages of
   * {@code tests/requirements-VERSIONS.txt}, and returns the interpreter.
   */
  static Program install(Path wheel, String versions) throws Exception {
    return install(wheel, versions, versions);
  }

  /**
   * Returns the interpreter of a fresh environment with the package and the highest versions.
   *
   * @param name name of the environment; no two may be made at once with the same name
   */
  public static Program installed(String name) throws Exception {
    return install(file(release(), ".whl"), "highest", name);
  }

  private static Program install(Path wheel, String versions, String name) throws Exception {
    Path requirements = SOURCES.resolve("tests/requirements-" + versions + ".txt");
    Path environment = TARGET.resolve(name);
    Program.ofBuild("python3", "-m", "venv", "--clear", environment.toString()).run();
    Program python = Program.of(environment.resolve("bin/python").toString());
    Program pip = python.and("-m", "pip", "--quiet", "--disable-pip-version-check");
    String key = Digest.of(Files.readString(requirements) + python.and("-VV").run());
    Path packages =
        PackageCache.folder(
            "python-packages",
            key,
            folder ->
                pip.and("download", "--only-binary", ":all:", "--dest", folder.toString())
                    .and("--requirement", requirements.toString())
                    .run());
    pip.and("install", "--no-index", "--find-links", packages.toString(), wheel.toString()).run();
    return python.with(Map.of("PYTHONDONTWRITEBYTECODE", "1"));
  }
}
