package io.watchgate.bench.compare;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One side, once: a sandbox, a server and a load generator, all of them fresh.
 *
 * @param common options of {@code bench} for all sides, such as the duration
 */
record Measurement(Side side, List<String> common) {
  private static final Pattern SANDBOX = Pattern.compile("serving on http://(\\S+)");
  private static final Pattern SERVER =
      Pattern.compile("serving \\S+ on (\\S+?)(?: \\(plaintext\\))?, .*metrics on (\\S+)");
  private static final long START_SECONDS = 60;
  private static final String ANY = "127.0.0.1:0";

  /**
   * Does it.
   *
   * @return what {@code bench --json} wrote
   * @throws IOException if something did not start, or lost something
   */
  JsonObject run() throws IOException, InterruptedException {
    Path json = Files.createTempFile("watchgate-compare", ".json");
    Path kubeconfig = json.resolveSibling(json.getFileName() + ".kubeconfig");
    try (Launched sandbox =
        Launched.start(
            List.of("sandbox", "--listen", ANY, "--write-kubeconfig", kubeconfig.toString()))) {
      String apiserver = sandbox.await(SANDBOX, START_SECONDS).group(1);
      List<String> serve = new ArrayList<>(side.server());
      serve.addAll(List.of("--kubeconfig", kubeconfig.toString()));
      serve.addAll(List.of("--listen", ANY, "--http-listen", ANY));
      try (Launched server = Launched.start(serve)) {
        Matcher serving = server.await(SERVER, START_SECONDS);
        List<String> bench = new ArrayList<>(List.of("bench"));
        bench.addAll(side.load());
        bench.addAll(common);
        bench.addAll(
            List.of(
                "--server=" + serving.group(1),
                "--metrics=" + serving.group(2),
                "--server-pid=" + server.pid(),
                "--known-pid=" + sandbox.pid(),
                "--known-pid=" + ProcessHandle.current().pid(),
                "--apiserver=http://" + apiserver,
                "--json=" + json));
        try (Launched load = Launched.start(bench)) {
          if (load.await() != 0) {
            throw new IOException(side.name() + " failed: " + load.lastLine());
          }
        }
      }
      return JsonParser.parseString(Files.readString(json)).getAsJsonObject();
    } finally {
      Files.deleteIfExists(json);
      Files.deleteIfExists(kubeconfig);
    }
  }
}
