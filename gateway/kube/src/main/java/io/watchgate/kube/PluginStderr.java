package io.watchgate.kube;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reader of the stderr of one run of an exec plugin. Each line is logged at once, since it may have
 * a link to log in; the last ones become part of the error if the run fails. Bounded, and without
 * words so long that they may be tokens or keys.
 */
final class PluginStderr implements Runnable {
  private static final Logger log = LoggerFactory.getLogger(PluginStderr.class);
  private static final Pattern SECRET = Pattern.compile("[A-Za-z0-9_=.-]{40,}|[A-Za-z0-9+/=]{60,}");

  private final String plugin;
  private final InputStream stderr;
  private int lines;
  private String last = "";

  PluginStderr(ExecPlugin plugin, InputStream stderr) {
    this.plugin = plugin.command();
    this.stderr = stderr;
  }

  /** Reads to the end. */
  @Override
  public void run() {
    StringBuilder line = new StringBuilder();
    try (Reader reader =
        new BufferedReader(new InputStreamReader(stderr, StandardCharsets.UTF_8))) {
      for (int c = reader.read(); c >= 0; c = reader.read()) {
        if (c == '\n') {
          logLine(line.toString());
          line.setLength(0);
        } else if (line.length() < KubeSettings.Plugins.MAX_STDERR_LINE) {
          line.append((char) c);
        }
      }
    } catch (IOException e) {
      // It was killed; the lines before remain.
    }
    logLine(line.toString());
  }

  private synchronized void logLine(String text) {
    String line = LogText.singleLine(SECRET.matcher(text).replaceAll("…"));
    if (line.isEmpty()) {
      return;
    }
    last = LogText.tail(last.isEmpty() ? line : last + " | " + line);
    lines++;
    if (lines <= KubeSettings.Plugins.MAX_STDERR_LINES) {
      log.info("exec plugin {}: {}", plugin, line);
    } else if (lines == KubeSettings.Plugins.MAX_STDERR_LINES + 1) {
      log.info("exec plugin {}: further lines are not logged", plugin);
    }
  }

  /** Returns the last lines, joined to one. */
  synchronized String last() {
    return last;
  }
}
