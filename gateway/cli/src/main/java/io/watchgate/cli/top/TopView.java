package io.watchgate.cli.top;

import com.google.gson.JsonObject;
import io.watchgate.cli.live.Screen;
import io.watchgate.cli.live.TerminalKeys;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Live table on the terminal. It asks the gateways each second on another thread, so that keys have
 * their effect at once while a gateway does not answer.
 */
public final class TopView {
  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Wakes the view, and is no key. */
  private static final char WAKE = '\0';

  /** Lines beside the rows of streams: headings, and the lines about the streams and the keys. */
  private static final int OTHER_LINES = 6;

  private final Source source;
  private final int replicas;
  private final BlockingQueue<Character> keys = new LinkedBlockingQueue<>();
  private volatile boolean ended;
  private TopState state;
  private @Nullable JsonObject answers;

  /** Source of the rows. */
  public interface Source {
    /** Asks all gateways once, for the result of {@link GatewaySurvey#ask}. */
    JsonObject ask(StreamSort sort, int limit);
  }

  /**
   * Creates a view.
   *
   * @param replicas number of gateways
   * @param limit maximum number of rows of streams
   */
  public TopView(Source source, int replicas, StreamSort sort, int limit) {
    this.source = source;
    this.replicas = replicas;
    this.state = new TopState(sort, limit, Set.of());
  }

  /** Ends {@link #run}; from any thread. */
  public void end() {
    ended = true;
    keys.add(WAKE);
  }

  /**
   * Draws until {@link #end}, or until the person quits. Then the terminal is as it was.
   *
   * @throws IOException if the terminal cannot be written
   */
  public void run(OutputStream out) throws IOException, InterruptedException {
    try (Screen screen = new Screen(out);
        TerminalKeys terminal = TerminalKeys.open(keys::add)) {
      @Nullable CompletableFuture<JsonObject> request = null;
      boolean isChanged = true;
      long due = System.nanoTime();
      while (!ended && !state.has(TopState.Flag.ENDED)) {
        long left = due - System.nanoTime();
        if (request == null && (isChanged || (left <= 0 && !state.has(TopState.Flag.PAUSED)))) {
          request = ask(screen.size());
          isChanged = false;
          due = System.nanoTime() + INTERVAL_NANOS;
          left = INTERVAL_NANOS;
        }
        @Nullable Character key = keys.poll(left > 0 ? left : INTERVAL_NANOS, TimeUnit.NANOSECONDS);
        if (request != null && request.isDone()) {
          answers = request.join();
          request = null;
        }
        if (key != null && key != WAKE) {
          TopState next = state.after(key);
          isChanged = isChanged || !next.asksAs(state);
          state = next;
        }
        draw(screen, terminal.areRead() ? state.lines() : List.of());
      }
    }
  }

  private CompletableFuture<JsonObject> ask(Screen.Size size) {
    StreamSort sort = state.sort();
    int limit = Math.clamp(size.lines() - OTHER_LINES - replicas, 1, state.limit());
    CompletableFuture<JsonObject> request =
        CompletableFuture.supplyAsync(
            () -> source.ask(sort, limit), task -> Thread.ofVirtual().name("survey").start(task));
    var _ = request.whenComplete((answer, failure) -> keys.add(WAKE));
    return request;
  }

  private void draw(Screen screen, List<String> below) throws IOException {
    if (answers == null) {
      return;
    }
    Screen.Size size = screen.size();
    List<String> lines = new ArrayList<>(TopTables.lines(answers, size.columns()));
    below.forEach(
        line ->
            lines.add(line.length() <= size.columns() ? line : line.substring(0, size.columns())));
    screen.show(lines.subList(0, Math.min(lines.size(), size.lines())));
  }
}
