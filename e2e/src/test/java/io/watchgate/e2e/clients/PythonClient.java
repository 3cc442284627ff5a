package io.watchgate.e2e.python;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.watchgate.e2e.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.stream.Stream;

/**
 * A virtual environment with the pinned packages, kept in {@code .cache} for each state of {@code
 * requirements.txt} and each Python, and the stubs, generated anew in each run.
 *
 * @param python the interpreter
 * @param stubs a folder for {@code PYTHONPATH}
 */
record PythonEnvironment(Path python, Path stubs) {
  private static final Path SOURCES = Repository.root().resolve("e2e/python");

  static PythonEnvironment prepare() throws Exception {
    Path requirements = SOURCES.resolve("requirements.txt");
    String version = run("python3", "-VV");
    Path cache = Repository.cache("python");
    Path environment = cache.resolve(digest(Files.readString(requirements) + version));
    Repository.alone(
        cache,
        () -> {
          // An environment cannot be moved, so that it is complete once it says so.
          Path complete = environment.resolve("complete");
          if (!Files.exists(complete)) {
            System.err.println("Making a Python environment of " + requirements);
            run("python3", "-m", "venv", "--clear", environment.toString());
            run(
                environment.resolve("bin/python").toString(),
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "--requirement",
                requirements.toString());
            Files.createFile(complete);
          }
          return environment;
        });
    Path python = environment.resolve("bin/python");
    Path stubs = Repository.target("python");
    run(
        python.toString(),
        "-m",
        "grpc_tools.protoc",
        "-I",
        Repository.root().resolve("proto/src/main/protobuf").toString(),
        "--python_out=" + stubs,
        "--grpc_python_out=" + stubs,
        "watchgate/v1/watch.proto");
    return new PythonEnvironment(python, stubs);
  }

  /** Starts {@code e2e/python/watch.py}; its errors go where this JVM's go. */
  Process watch(Stream<String> arguments) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
            Stream.concat(
                    Stream.of(python.toString(), SOURCES.resolve("watch.py").toString()), arguments)
                .toList());
    builder.environment().put("PYTHONPATH", stubs.toString());
    builder.environment().put("PYTHONDONTWRITEBYTECODE", "1");
    return builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  private static String digest(String text) throws NoSuchAlgorithmException {
    byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
    return HexFormat.of().formatHex(hash, 0, 8);
  }

  /** Runs a program to its end and returns what it said. */
  private static String run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    int code = process.waitFor();
    if (code != 0) {
      throw new IOException(String.join(" ", command) + " ended with " + code + ":\n" + output);
    }
    return output;
  }
}
