package io.watchgate.cli.live;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Terminal that is drawn from the top left, on its alternate screen, so that its earlier content is
 * restored at the end.
 */
public final class Screen implements AutoCloseable {
  /** Size in characters. */
  public record Size(int columns, int lines) {
    /** Default if the size is unknown. */
    public static final Size DEFAULT = new Size(80, 24);

    /**
     * Returns the size of the terminal on standard input, or the default. Asks stty, because Java
     * has no API for the size.
     */
    public static Size ofTerminal() {
      try {
        Process stty =
            new ProcessBuilder("stty", "size")
                .redirectInput(ProcessBuilder.Redirect.INHERIT)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (!stty.waitFor(1, TimeUnit.SECONDS)) {
          stty.destroyForcibly();
          return DEFAULT;
        }
        String modes = new String(stty.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        String[] numbers = modes.strip().split(" ", 2);
        int lines = Integer.parseInt(numbers[0]);
        int columns = Integer.parseInt(numbers[1]);
        return lines < 5 || columns < 20 ? DEFAULT : new Size(columns, lines);
      } catch (IOException | NumberFormatException | ArrayIndexOutOfBoundsException e) {
        return DEFAULT;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return DEFAULT;
      }
    }
  }

  private static final Duration SIZE_REFRESH_INTERVAL = Duration.ofSeconds(2);

  private final OutputStream out;
  private Size size = Size.DEFAULT;
  private long sizeReadNanos;

  /** Switches to the alternate screen. */
  public Screen(OutputStream out) throws IOException {
    this.out = out;
    this.sizeReadNanos = System.nanoTime() - SIZE_REFRESH_INTERVAL.toNanos();
    write("\033[?1049h\033[?25l");
  }

  /** Returns the current size, cached for 2 s. */
  public Size size() {
    long now = System.nanoTime();
    if (now - sizeReadNanos >= SIZE_REFRESH_INTERVAL.toNanos()) {
      sizeReadNanos = now;
      size = Size.ofTerminal();
    }
    return size;
  }

  /** Shows exactly these lines. */
  public void show(List<String> lines) throws IOException {
    StringBuilder picture = new StringBuilder("\033[H");
    for (int i = 0; i < lines.size(); i++) {
      picture.append(i == 0 ? "" : "\r\n").append(lines.get(i)).append("\033[K");
    }
    write(picture.append("\033[J").toString());
  }

  private void write(String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  /** Restores the terminal. */
  @Override
  public void close() throws IOException {
    write("\033[?25h\033[?1049l");
  }
}
