package io.watchgate.e2e;

import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Program of the machine that some tests need. */
public enum RequiredTool {
  GO("Go 1.26 or newer (it builds the kube-apiserver, kubectl, Helm and the Go client)"),
  NODE("Node 22 or newer with npm, on Linux on x64 Node 20 (it runs the Node clients)"),
  PYTHON("Python 3.10 or newer with venv (it runs the Python clients)"),
  CARGO("Rust 1.89 or newer with cargo (it builds the client of kube-rs)"),
  JDK_17("JDK 17 (the Java client is for that and newer ones)"),
  PROMTOOL("promtool, or apt-get to download it (it runs the tests of the alerts)"),
  CHROMIUM("Chromium, or apt-get to download it (it shows the pages for operators)"),
  IMAGE_TOOLS(
      "root on Debian or Ubuntu, with umoci and skopeo or apt-get to download them (they run the"
          + " tests of the image)"),
  PROMETHEUS("prometheus, or apt-get to download it (it fires the alerts at broken gateways)");

  private static final String OLD_NODE_OR_NO_NPM =
      "const oldest = process.platform + process.arch === 'linuxx64' ? 20 : 22;"
          + "process.exit(parseInt(process.version.slice(1)) < oldest"
          + " || require('child_process').spawnSync('npm', ['--version']).status !== 0 ? 1 : 0)";

  /** Prefix of the reason of each such skip, found by the report at the end of the build. */
  static final String MARK = "missing tool: ";

  private static final Map<RequiredTool, Boolean> FOUND = new EnumMap<>(RequiredTool.class);

  private final String title;

  RequiredTool(String title) {
    this.title = title;
  }

  /** Returns the reason why tests that need this tool are skipped; empty if it is installed. */
  public Optional<String> missing() {
    synchronized (FOUND) {
      return FOUND.computeIfAbsent(this, tool -> tool.answers())
          ? Optional.empty()
          : Optional.of(MARK + title);
    }
  }

  private List<String> probe() {
    return switch (this) {
      case GO -> List.of("go", "version");
      case NODE -> List.of("node", "-e", OLD_NODE_OR_NO_NPM);
      case PYTHON ->
          List.of(
              "python3", "-c", "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))");
      case CARGO -> List.of("cargo", "--version");
      case JDK_17 ->
          InstalledJdk.of(17)
              .map(jdk -> List.of(jdk.java().toString(), "-version"))
              .orElse(List.of("false"));
      case PROMTOOL, PROMETHEUS ->
          List.of(
              Repository.root()
                  .resolve("e2e/monitoring/" + name().toLowerCase(Locale.ROOT))
                  .toString(),
              "--version");
      case CHROMIUM ->
          List.of(Repository.root().resolve("e2e/browser/chromium").toString(), "--version");
      case IMAGE_TOOLS -> List.of(Repository.root().resolve("e2e/image/tool").toString(), "probe");
    };
  }

  private boolean answers() {
    try {
      Process process =
          new ProcessBuilder(probe())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      process.getOutputStream().close();
      if (!process.waitFor(180, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return false;
      }
      return process.exitValue() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
