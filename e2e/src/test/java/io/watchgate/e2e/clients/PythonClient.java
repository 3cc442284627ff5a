package io.watchgate.e2e.clients;

import io.watchgate.e2e.Repository;
import io.watchgate.e2e.program.Digest;
import io.watchgate.e2e.program.PackageCache;
import io.watchgate.e2e.program.Program;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** {@code e2e/python} in a virtual environment with the pinned packages. */
final class PythonClient {
  private static final Path SOURCES = Repository.root().resolve("e2e/python");

  private PythonClient() {}

  /** Returns a program of the folder, {@code watch.py}. The stubs of all are in one folder. */
  static synchronized Program prepare(String program) throws Exception {
    Path requirements = SOURCES.resolve("requirements.txt");
    String key = Digest.of(Files.readString(requirements) + Program.of("python3", "-VV").run());
    Path environment = PackageCache.folder("python", key, folder -> install(folder, requirements));
    String python = environment.resolve("bin/python").toString();
    Path stubs = Repository.target("python");
    Program.of(python, "-m", "grpc_tools.protoc")
        .and("-I", Repository.root().resolve("proto/src/main/protobuf").toString())
        .and("--python_out=" + stubs, "--grpc_python_out=" + stubs, "watchgate/v1/watch.proto")
        .run();
    return Program.of(python, SOURCES.resolve(program).toString())
        .with(Map.of("PYTHONPATH", stubs.toString(), "PYTHONDONTWRITEBYTECODE", "1"));
  }

  private static void install(Path environment, Path requirements) throws Exception {
    Program.of("python3", "-m", "venv", "--clear", environment.toString()).run();
    Program.of(environment.resolve("bin/python").toString(), "-m", "pip", "install", "--quiet")
        .and("--disable-pip-version-check", "--requirement", requirements.toString())
        .run();
  }
}
