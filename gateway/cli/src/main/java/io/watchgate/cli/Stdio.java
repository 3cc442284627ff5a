package io.watchgate.cli;

import java.io.Console;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Environment of a command line: stdout, stderr, clock and environment variables.
 *
 * @param out for data only; not buffered, and its errors are reported
 * @param err for messages to a person
 * @param terminals streams that are connected to a terminal
 * @param lookupGrace time added to the timeouts of requests whose answers only explain the output;
 *     zero, except for tests, which must not depend on how busy the machine is
 */
record Stdio(
    OutputStream out,
    PrintStream err,
    InstantSource clock,
    Set<Stream> terminals,
    Map<String, String> environment,
    Duration lookupGrace) {

  /** Standard output or standard error. */
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

  /** Creates an environment with the usual timeouts. */
  Stdio(
      OutputStream out,
      PrintStream err,
      InstantSource clock,
      Set<Stream> terminals,
      Map<String, String> environment) {
    this(out, err, clock, terminals, environment, Duration.ZERO);
  }

  /** Returns the environment of this process. */
  static Stdio ofProcess() {
    Set<Stream> terminals = EnumSet.noneOf(Stream.class);
    for (Stream stream : Stream.values()) {
      String behind = linkTarget(stream);
      if (behind.startsWith("/dev/pts/")
          || behind.startsWith("/dev/tty")
          || behind.equals("/dev/console")) {
        terminals.add(stream);
      }
    }
    // Not System.out, which buffers by its own rules and swallows errors.
    OutputStream out = new FileOutputStream(FileDescriptor.out);
    return new Stdio(out, System.err, InstantSource.system(), terminals, System.getenv());
  }

  /**
   * Returns the file behind a stream. Java reports only whether stdin and stdout both are
   * terminals; Linux reports it for each, at the cost of one readlink.
   */
  private static String linkTarget(Stream stream) {
    try {
      return Files.readSymbolicLink(Path.of("/proc/self/fd/" + stream.descriptor)).toString();
    } catch (IOException | UnsupportedOperationException e) {
      boolean terminal =
          Optional.ofNullable(System.console()).filter(Console::isTerminal).isPresent();
      return terminal ? "/dev/tty" : "";
    }
  }

  /** Writes a text to stdout. */
  void print(String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  /**
   * Returns whether a write failed because the reader of stdout has closed the pipe. Java has only
   * the operating system's message for it, which depends on the locale.
   */
  static boolean isBrokenPipe(IOException failure) {
    String message = String.valueOf(failure.getMessage());
    return message.contains("Broken pipe") || message.equals(brokenPipeText());
  }

  /** Returns the message for a pipe without a reader. */
  static String brokenPipeText() {
    try {
      Pipe pipe = Pipe.open();
      pipe.source().close();
      try (Pipe.SinkChannel sink = pipe.sink()) {
        sink.write(ByteBuffer.allocate(1));
      }
      return "";
    } catch (IOException e) {
      return String.valueOf(e.getMessage());
    }
  }

  /** Returns the timeout of a request whose answer only explains the output. */
  Duration lookupTimeout(Duration usual) {
    return usual.plus(lookupGrace);
  }

  boolean isTerminal(Stream stream) {
    return terminals.contains(stream);
  }
}
