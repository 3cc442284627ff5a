package io.watchgate.bench.compare;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * One measurement of one contender, with a new apiserver, server and load generator.
 *
 * @param program program that serves a kube-apiserver; empty: a sandbox
 * @param common options of {@code bench} for all contenders, such as the duration
 */
record Measurement(Contender contender, Optional<Path> program, List<String> common) {
  private static final Pattern SANDBOX = Pattern.compile("serving on http://(\\S+)");
  private static final Pattern APISERVER = Pattern.compile("\"kubeconfig\":\"([^\"]+)\"");
  static final Pattern SERVER =
      Pattern.compile("serving \\S+ on (\\S+?)(?: \\(\\w+\\))?, .*metrics on ([^\\s;]+)");
  private static final long START_SECONDS = 60;
  private static final String ANY = "127.0.0.1:0";

  /**
   * Runs the measurement.
   *
   * @return output of {@code bench --json}
   * @throws IOException if a process did not start, or deliveries were lost
   */
  JsonObject run() throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("watchgate-compare");
    try (ChildProcess apiserver =
        program.isPresent() ? startKubernetes(folder) : startSandbox(folder)) {
      return runServer(folder, apiserver.pid());
    } finally {
      deleteFolder(folder);
    }
  }

  private static Path kubeconfig(Path folder) {
    return folder.resolve("kubeconfig");
  }

  private static ChildProcess startSandbox(Path folder) throws IOException, InterruptedException {
    return awaitStart(
        ChildProcess.watchgate(
            List.of(
                "sandbox", "--listen", ANY, "--write-kubeconfig", kubeconfig(folder).toString())),
        SANDBOX);
  }

  /** Starts a kube-apiserver, which writes its kubeconfig to the same path as the sandbox. */
  private ChildProcess startKubernetes(Path folder) throws IOException, InterruptedException {
    return awaitStart(
        ChildProcess.program(
            "the kube-apiserver",
            List.of(program.orElseThrow().toString(), "serve", "--dir", folder.toString())),
        APISERVER);
  }

  private static ChildProcess awaitStart(ChildProcess launched, Pattern serves)
      throws IOException, InterruptedException {
    try {
      launched.await(serves, START_SECONDS);
      return launched;
    } catch (IOException | InterruptedException e) {
      launched.close();
      throw e;
    }
  }

  private JsonObject runServer(Path folder, long apiserver)
      throws IOException, InterruptedException {
    if (contender.isDirect()) {
      return runLoad(folder, List.of("--server-pid=" + apiserver));
    }
    List<String> serve = new ArrayList<>(contender.server());
    serve.add("--kubeconfig=" + kubeconfig(folder));
    serve.addAll(List.of("--listen", ANY, "--http-listen", ANY));
    List<String> load = new ArrayList<>();
    if (contender.wire() == Contender.Wire.TOKEN) {
      Files.writeString(folder.resolve("tokens"), "a-token,bench,bench\n");
      Path token = Files.writeString(folder.resolve("token"), "a-token");
      serve.addAll(
          List.of(
              "--token-file=" + folder.resolve("tokens"),
              "--authorization=none", // the sandbox gets no access reviews
              "--audit-log=none"));
      load.add("--bearer-token-file=" + token);
    }
    if (program.isPresent() || contender.wire() == Contender.Wire.TLS) {
      // A kube-apiserver uses TLS, so the server that is compared with it must use it, too.
      SelfSignedCertificate certificate = SelfSignedCertificate.create(folder);
      serve.addAll(certificate.serverOptions());
      load.addAll(certificate.clientOptions());
    }
    try (ChildProcess server = ChildProcess.watchgate(serve)) {
      Matcher serving = server.await(SERVER, START_SECONDS);
      load.addAll(
          List.of(
              "--server=" + serving.group(1),
              "--metrics=" + serving.group(2),
              "--server-pid=" + server.pid(),
              "--known-pid=" + apiserver));
      return runLoad(folder, load);
    }
  }

  private JsonObject runLoad(Path folder, List<String> subject)
      throws IOException, InterruptedException {
    Path json = folder.resolve("figures.json");
    List<String> bench = new ArrayList<>(List.of("bench"));
    bench.addAll(contender.load());
    bench.addAll(common);
    bench.addAll(subject);
    bench.addAll(
        List.of(
            "--known-pid=" + ProcessHandle.current().pid(),
            "--kubeconfig=" + kubeconfig(folder),
            "--json=" + json));
    try (ChildProcess load = ChildProcess.watchgate(bench)) {
      if (load.await() != 0) {
        throw new IOException(contender.name() + " failed: " + load.lastLines());
      }
    }
    return JsonParser.parseString(Files.readString(json)).getAsJsonObject();
  }

  /** Deletes the folder. Files left over are harmless: a server may still be writing. */
  private static void deleteFolder(Path folder) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(folder)) {
      files = all.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path file : files) {
      Files.deleteIfExists(file);
    }
  }
}
