package io.watchgate.cli.live;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Keys of the process's terminal, each as it is typed and without an echo, until {@link #close}
 * restores the terminal's modes. Ctrl-C still ends the process. Uses stty, because Java has no API
 * for the modes. Without a terminal or stty there are no keys, and nothing changes.
 */
public final class TerminalKeys implements AutoCloseable {
  private static final File TERMINAL = new File("/dev/tty");
  private static final long TIMEOUT_SECONDS = 3;

  private final Optional<String> modes;

  private TerminalKeys(Optional<String> modes) {
    this.modes = modes;
  }

  /**
   * Begins to read keys.
   *
   * @param reader is called on a thread of this object
   */
  public static TerminalKeys open(Consumer<Character> reader) {
    Optional<String> modes = stty(List.of("-g")).map(String::strip).filter(it -> !it.isEmpty());
    TerminalKeys keys = new TerminalKeys(modes);
    if (modes.isEmpty()) {
      return keys;
    }
    if (stty(List.of("-icanon", "-echo", "min", "1", "time", "0")).isEmpty()) {
      keys.close();
      return new TerminalKeys(Optional.empty());
    }
    Thread.ofPlatform().daemon().name("keys").start(() -> read(reader));
    return keys;
  }

  private static void read(Consumer<Character> reader) {
    try (InputStream terminal = new FileInputStream(TERMINAL)) {
      for (int key = terminal.read(); key >= 0; key = terminal.read()) {
        reader.accept((char) key);
      }
    } catch (IOException e) {
      // The terminal is gone: there are no further keys.
    }
  }

  /** Returns whether keys are read. */
  public boolean areRead() {
    return modes.isPresent();
  }

  /** Returns what stty prints about the terminal; empty if it fails. */
  private static Optional<String> stty(List<String> arguments) {
    List<String> line = new ArrayList<>(List.of("stty"));
    line.addAll(arguments);
    try {
      Process stty =
          new ProcessBuilder(line)
              .redirectInput(TERMINAL)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      if (!stty.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        stty.destroyForcibly();
        return Optional.empty();
      }
      return stty.exitValue() == 0
          ? Optional.of(new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
          : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  /** Restores the modes of the terminal. */
  @Override
  public void close() {
    boolean wasInterrupted = Thread.interrupted(); // stty is waited for in any case
    modes.ifPresent(
        earlier -> {
          var _ = stty(List.of(earlier));
        });
    if (wasInterrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
