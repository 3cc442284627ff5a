package io.watchgate.e2e.ops;

import static org.awaitility.Awaitility.await;

import io.watchgate.e2e.ChildProcess;
import io.watchgate.e2e.faults.Command;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** Pseudo-terminal with a command of the launcher in it. Python makes it, since Java cannot. */
final class PseudoTerminal implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofMinutes(3);

  /** Start of each picture. */
  private static final String HOME = "\033[H";

  /**
   * Starts the command in a session with the terminal, and copies keys and output. With "cut" the
   * output is another terminal, which is closed at the key NUL.
   */
  private static final String SCRIPT =
      """
      import fcntl, os, select, signal, struct, subprocess, sys, termios
      def modes():
          return subprocess.check_output(['stty', '-a'], stdin=slave)
      def say(text):
          sys.stderr.write(text + '\\n')
          sys.stderr.flush()
      def size(terminal):
          fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', int(sys.argv[3]), int(sys.argv[2]), 0, 0))
      def session():
          # A shell's background job ignores it.
          signal.signal(signal.SIGINT, signal.SIG_DFL)
          os.setsid()
          fcntl.ioctl(0, termios.TIOCSCTTY, 0)
      master, slave = os.openpty()
      size(slave)
      shown, out = os.openpty() if sys.argv[1] == 'cut' else (master, slave)
      before = modes()
      child = subprocess.Popen(sys.argv[4:], stdin=slave, stdout=out, stderr=slave,
                               preexec_fn=session)
      if out != slave:
          os.close(out)
      say('pid %d' % child.pid)
      while child.poll() is None:
          ready, _, _ = select.select([0, shown] if shown >= 0 else [0], [], [], 0.05)
          if 0 in ready:
              keys = os.read(0, 100)
              if keys == b'\\0':
                  say('raw' if b'-icanon' in modes() else 'cooked')
                  if shown != master:
                      os.close(shown)
                      shown = -1
              elif keys:
                  os.write(master, keys)
              else:
                  child.kill()
          if shown in ready:
              try:
                  os.write(1, os.read(shown, 65536))
              except OSError:
                  pass
      say('exit %d modes %s' % (child.returncode, 'same' if modes() == before else 'changed'))
      """;

  /** Use of the terminal for the output of the command. */
  enum Output {
    SHOWN,
    /** Another terminal, which is closed by {@link #askModes}. */
    CUT
  }

  /** Size of a terminal, in characters. */
  record Size(int columns, int lines) {
    static final Size LARGE = new Size(120, 40);
  }

  private final Process python;
  private final ByteArrayOutputStream screen = new ByteArrayOutputStream();
  private final List<String> said = new CopyOnWriteArrayList<>();

  PseudoTerminal(Output output, Size size, String... arguments) throws IOException {
    this(Map.of(), output, size, arguments);
  }

  PseudoTerminal(Map<String, String> environment, Output output, Size size, String... arguments)
      throws IOException {
    List<String> line = new ArrayList<>(List.of("python3", "-c", SCRIPT));
    line.add(output == Output.CUT ? "cut" : "shown");
    line.add("" + size.columns());
    line.add("" + size.lines());
    line.addAll(Command.line(arguments));
    ProcessBuilder builder = new ProcessBuilder(line);
    builder.environment().putAll(environment);
    this.python = ChildProcess.start(builder);
    Thread.ofPlatform().daemon().name("screen").start(this::readScreen);
    Thread.ofPlatform().daemon().name("said").start(this::readSaid);
  }

  private void readScreen() {
    try (InputStream in = python.getInputStream()) {
      in.transferTo(screen);
    } catch (IOException e) {
      // The process was killed.
    }
  }

  private void readSaid() {
    try (BufferedReader in = python.errorReader()) {
      in.lines().forEach(said::add);
    } catch (IOException | UncheckedIOException e) {
      // The process was killed.
    }
  }

  void press(String keys) throws IOException {
    OutputStream in = python.getOutputStream();
    in.write(keys.getBytes(StandardCharsets.US_ASCII));
    in.flush();
  }

  /** Returns raw or cooked, as the modes of the terminal are now. */
  String askModes() throws IOException {
    press("\0");
    return awaitSaid("raw|cooked");
  }

  /** Sends a signal to the command. */
  void signal(String name) throws IOException, InterruptedException {
    String pid = awaitSaid("pid \\d+").substring("pid ".length());
    new ProcessBuilder("kill", "-" + name, pid).start().waitFor();
  }

  /** Waits for a picture that matches, and returns it. */
  String awaitPicture(String pattern) {
    return await(pattern)
        .atMost(LIMIT)
        .pollInterval(Duration.ofMillis(50))
        .until(
            () -> {
              if (!python.isAlive()) {
                throw new AssertionError("it ended: " + said + " " + screen());
              }
              String all = screen();
              return all.substring(Math.max(0, all.lastIndexOf(HOME)));
            },
            // The last one may be incomplete; a picture ends by the clearing of the rest.
            last ->
                last.startsWith(HOME)
                    && last.endsWith("\033[J")
                    && last.matches("(?s).*" + pattern + ".*"));
  }

  private String awaitSaid(String pattern) {
    await(pattern)
        .atMost(LIMIT)
        .pollInterval(Duration.ofMillis(50))
        .until(() -> said.stream().anyMatch(line -> line.matches(pattern)));
    return said.stream().filter(line -> line.matches(pattern)).findFirst().orElseThrow();
  }

  /** Waits for the end, and returns {@code exit CODE modes same|changed}. */
  String awaitEnd() {
    return awaitSaid("exit .*");
  }

  String screen() {
    return screen.toString(StandardCharsets.UTF_8);
  }

  @Override
  public void close() throws IOException {
    python.getOutputStream().close(); // then the script kills the command
    python.onExit().completeOnTimeout(python, 10, TimeUnit.SECONDS).join().destroyForcibly();
  }
}
