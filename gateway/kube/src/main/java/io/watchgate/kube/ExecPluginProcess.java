package io.watchgate.kube;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** One run of an exec plugin, within the limits of {@link KubeSettings.Plugins}. */
final class ExecPluginProcess {
  private final ExecPlugin plugin;
  private final Process process;

  private ExecPluginProcess(ExecPlugin plugin, Process process) {
    this.plugin = plugin;
    this.process = process;
  }

  static ExecPluginProcess start(ExecPlugin plugin) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(plugin.executable().toString());
    command.addAll(plugin.arguments());
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().putAll(plugin.environment());
    builder.environment().put("KUBERNETES_EXEC_INFO", plugin.info().json());
    try {
      Process process = builder.start();
      process.getOutputStream().close(); // the plugin has no terminal to ask
      return new ExecPluginProcess(plugin, process);
    } catch (IOException e) {
      // Java's text repeats the command: "Cannot run program ...: error=8, Exec format error".
      throw plugin.error(
          "it cannot be run: "
              + LogText.singleLine(
                  String.valueOf(e.getMessage()).replaceFirst("^.*error=\\d+, ", "")));
    }
  }

  /**
   * Waits for the end of the plugin with exit code 0, and returns its output.
   *
   * @throws InterruptedIOException if this thread is interrupted
   * @throws IOException if it fails, prints too much or takes too long; it is killed then
   */
  byte[] output(Duration limit) throws IOException {
    Output stdout = new Output(process.getInputStream());
    PluginStderr stderr = new PluginStderr(plugin, process.getErrorStream());
    Thread out = Thread.startVirtualThread(stdout);
    Thread err = Thread.startVirtualThread(stderr);
    try {
      boolean ended = process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS);
      if (!ended) {
        kill();
      }
      var _ = out.join(KubeSettings.Plugins.STREAM_GRACE);
      var _ = err.join(KubeSettings.Plugins.STREAM_GRACE);
      if (!ended) {
        throw plugin.error(
            "it did not end within " + LogText.duration(limit) + stderrText(stderr) + hint());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("the wait for exec plugin " + plugin.command() + " ended");
    } finally {
      kill();
    }
    if (process.exitValue() != 0) {
      throw plugin.error(
          "it ended with exit code " + process.exitValue() + stderrText(stderr) + hint());
    }
    return stdout.bytes(plugin);
  }

  private static String stderrText(PluginStderr stderr) {
    String last = stderr.last();
    return last.isEmpty() ? " and said nothing on stderr" : ", saying: " + last;
  }

  private String hint() {
    return "; run it by hand to see why";
  }

  /** Kills the process and its descendants. */
  void kill() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }

  /** Reader of stdout; excess output is read and discarded, so that the plugin does not block. */
  private static final class Output implements Runnable {
    private final InputStream stdout;
    private final ByteArrayOutputStream read = new ByteArrayOutputStream();
    private boolean tooMuch;

    Output(InputStream stdout) {
      this.stdout = stdout;
    }

    @Override
    public void run() {
      byte[] buffer = new byte[1 << 13];
      try (stdout) {
        for (int n = stdout.read(buffer); n >= 0; n = stdout.read(buffer)) {
          add(buffer, n);
        }
      } catch (IOException e) {
        // It was killed.
      }
    }

    private synchronized void add(byte[] buffer, int length) {
      tooMuch |= read.size() + length > KubeSettings.Plugins.MAX_OUTPUT;
      if (!tooMuch) {
        read.write(buffer, 0, length);
      }
    }

    synchronized byte[] bytes(ExecPlugin plugin) throws IOException {
      if (tooMuch) {
        throw plugin.error(
            "it printed more than " + (KubeSettings.Plugins.MAX_OUTPUT >> 20) + " MiB to stdout");
      }
      return read.toByteArray();
    }
  }
}
