package io.watchgate.cli;

import java.io.Console;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Where a command line runs.
 *
 * @param out for data only; not buffered, and its errors are heard
 * @param err for people
 * @param terminals those of the two behind which is a terminal
 */
record Stdio(
    OutputStream out,
    PrintStream err,
    InstantSource clock,
    Set<Stream> terminals,
    Map<String, String> environment) {

  /** One of the two. */
  enum Stream {
    OUT(1),
    ERR(2);

    private final int descriptor;

    Stream(int descriptor) {
      this.descriptor = descriptor;
    }
  }

  Stdio {
    terminals = Set.copyOf(terminals);
    environment = Map.copyOf(environment);
  }

  /** Those of this process. */
  static Stdio ofProcess() {
    // Not System.out: it buffers by its own rules and swallows errors.
    return new Stdio(
        new FileOutputStream(FileDescriptor.out),
        System.err,
        InstantSource.system(),
        terminalsOfProcess(),
        System.getenv());
  }

  boolean isTerminal(Stream stream) {
    return terminals.contains(stream);
  }

  /**
   * Java knows only whether stdin and stdout both are terminals; Linux says it of each, for the
   * price of reading a link.
   */
  private static Set<Stream> terminalsOfProcess() {
    Set<Stream> terminals = EnumSet.noneOf(Stream.class);
    for (Stream stream : Stream.values()) {
      try {
        String behind =
            Files.readSymbolicLink(Path.of("/proc/self/fd/" + stream.descriptor)).toString();
        if (behind.startsWith("/dev/pts/")
            || behind.startsWith("/dev/tty")
            || behind.equals("/dev/console")) {
          terminals.add(stream);
        }
      } catch (IOException | UnsupportedOperationException e) {
        if (Optional.ofNullable(System.console()).filter(Console::isTerminal).isPresent()) {
          terminals.add(stream);
        }
      }
    }
    return terminals;
  }
}
