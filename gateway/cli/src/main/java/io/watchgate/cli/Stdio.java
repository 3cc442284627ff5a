package io.watchgate.cli;

import java.io.Console;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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
 */
record Stdio(
    OutputStream out,
    PrintStream err,
    InstantSource clock,
    Set<Stream> terminals,
    Map<String, String> environment) {

  private static final String BROKEN_PIPE = "Broken pipe";

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
    OutputStream file = new FileOutputStream(FileDescriptor.out);
    String behind = linkTarget(Stream.OUT);
    boolean isPipe = behind.startsWith("pipe:") || behind.startsWith("socket:");
    OutputStream out = isPipe ? new PipeOutput(file) : file;
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

  /** Returns whether a write failed because the reader of stdout has closed the pipe. */
  static boolean isBrokenPipe(IOException failure) {
    return String.valueOf(failure.getMessage()).contains(BROKEN_PIPE);
  }

  /**
   * Output to a pipe, whose writes fail only if its reader has closed it. The operating system's
   * own message depends on the locale.
   */
  static final class PipeOutput extends OutputStream {
    private final OutputStream pipe;

    PipeOutput(OutputStream pipe) {
      this.pipe = pipe;
    }

    @Override
    public void write(int one) throws IOException {
      write(new byte[] {(byte) one});
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      try {
        pipe.write(bytes, from, length);
      } catch (IOException e) {
        throw new IOException(BROKEN_PIPE, e);
      }
    }
  }

  boolean isTerminal(Stream stream) {
    return terminals.contains(stream);
  }
}
