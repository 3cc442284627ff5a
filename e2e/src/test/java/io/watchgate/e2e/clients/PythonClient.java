package io.watchgate.e2e.clients;

import io.watchgate.e2e.Repository;
import io.watchgate.e2e.program.Program;
import io.watchgate.e2e.program.PythonEnvironment;
import java.nio.file.Path;
import java.util.Map;

/** {@code examples/python} in a virtual environment with the pinned packages. */
final class PythonClient {
  private static final Path SOURCES = Repository.root().resolve("examples/python");

  private PythonClient() {}

  /** Returns a program of the folder, {@code watch.py}. The stubs of all are in one folder. */
  static synchronized Program prepare(String program) throws Exception {
    Program python = PythonEnvironment.with(SOURCES.resolve("requirements.txt"));
    Path stubs = Repository.target("python");
    python
        .and("-m", "grpc_tools.protoc")
        .and("-I", Repository.root().resolve("proto/src/main/protobuf").toString())
        .and("--python_out=" + stubs, "--grpc_python_out=" + stubs, "watchgate/v1/watch.proto")
        .run();
    return python
        .and(SOURCES.resolve(program).toString())
        .with(Map.of("PYTHONPATH", stubs.toString(), "PYTHONDONTWRITEBYTECODE", "1"));
  }
}
