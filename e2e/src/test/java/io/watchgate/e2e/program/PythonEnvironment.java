package io.watchgate.e2e.program;

import java.nio.file.Files;
import java.nio.file.Path;

/** Virtual environment of Python with pinned packages. */
public final class PythonEnvironment {
  private PythonEnvironment() {}

  /** Returns the interpreter of an environment with the packages, made once for each content. */
  public static Program with(Path requirements) throws Exception {
    String key = Digest.of(Files.readString(requirements) + Program.of("python3", "-VV").run());
    Path environment = PackageCache.folder("python", key, folder -> install(folder, requirements));
    return Program.of(environment.resolve("bin/python").toString());
  }

  private static void install(Path environment, Path requirements) throws Exception {
    Program.ofBuild("python3", "-m", "venv", "--clear", environment.toString()).run();
    Program.ofBuild(environment.resolve("bin/python").toString(), "-m", "pip", "install", "--quiet")
        .and("--disable-pip-version-check", "--requirement", requirements.toString())
        .run();
  }
}
