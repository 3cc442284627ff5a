package io.watchgate.cli.live;

import io.watchgate.cli.output.RowStyle;
import io.watchgate.client.WatchListener;
import io.watchgate.client.WatchUpdate;
import java.io.IOException;
import java.io.OutputStream;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * View of a {@link LiveTable} on a terminal, drawn at most ten times a second. Thread-safe: updates
 * are applied on one thread, and drawing runs on another.
 */
public final class LiveView implements WatchListener {
  private static final long FRAME_MILLIS = 100;
  private static final long SECOND_NANOS = 1_000_000_000L;

  /** Longest wait in {@link #end}; drawing may wait 1 s for the terminal's size. */
  private static final long END_TIMEOUT_SECONDS = 3;

  /** Interval over which the rate is averaged. */
  private static final int RATE_SECONDS = 5;

  private final OutputStream out;
  private final InstantSource clock;
  private final LiveTable table;
  private final RowStyle style;
  private final String title;
  private final Supplier<List<String>> below;
  private final CountDownLatch ended = new CountDownLatch(1);
  private final CountDownLatch terminalRestored = new CountDownLatch(1);
  private final long[] eventsBySecond = new long[RATE_SECONDS + 1];
  private long seconds;

  /**
   * Creates a view.
   *
   * @param title the first line
   * @param below returns the last lines; called for each picture
   */
  public LiveView(
      OutputStream out,
      InstantSource clock,
      LiveTable table,
      RowStyle style,
      String title,
      Supplier<List<String>> below) {
    this.out = out;
    this.clock = clock;
    this.table = table;
    this.style = style;
    this.title = title;
    this.below = below;
  }

  @Override
  public void onUpdate(WatchUpdate update) {
    synchronized (table) {
      table.apply(update);
    }
  }

  /**
   * Draws until {@link #end} is called.
   *
   * @throws IOException if the terminal cannot be written
   */
  public void run() throws IOException, InterruptedException {
    try (Screen screen = new Screen(out)) {
      long begun = System.nanoTime();
      do {
        draw(screen, (System.nanoTime() - begun) / SECOND_NANOS);
      } while (!ended.await(FRAME_MILLIS, TimeUnit.MILLISECONDS));
    } finally {
      terminalRestored.countDown();
    }
  }

  private void draw(Screen screen, long second) throws IOException {
    Screen.Size size = screen.size();
    List<String> picture;
    synchronized (table) {
      for (; seconds < second; seconds++) {
        System.arraycopy(eventsBySecond, 0, eventsBySecond, 1, RATE_SECONDS);
        eventsBySecond[0] = table.changeCount();
      }
      long since = eventsBySecond[(int) Math.min(seconds, RATE_SECONDS)];
      double rate = (double) (table.changeCount() - since) / Math.clamp(seconds, 1, RATE_SECONDS);
      String numbers =
          String.format(
              Locale.ROOT,
              "%s, %s, %.1f a second",
              count(table.size(), "object"),
              count(table.changeCount(), "change"),
              rate);
      String outdated = table.outdatedReason();
      List<String> above =
          outdated.isEmpty() ? List.of(title, numbers) : List.of(title, numbers, outdated);
      picture = RenderedFrame.render(table, style, above, below.get(), size, clock.instant());
    }
    screen.show(picture);
  }

  private static String count(long number, String noun) {
    return number + " " + noun + (number == 1 ? "" : "s");
  }

  /**
   * Ends {@link #run}, and waits up to 3 s until it has restored the terminal. So a caller that
   * then ends the process leaves no picture behind. The wait is bounded because the terminal may
   * hang.
   */
  public void end() {
    ended.countDown();
    try {
      var _ = terminalRestored.await(END_TIMEOUT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
