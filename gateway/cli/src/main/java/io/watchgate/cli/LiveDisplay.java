package io.watchgate.cli;

import io.watchgate.cli.live.LiveTable;
import io.watchgate.cli.live.LiveView;
import io.watchgate.cli.output.RowStyle;
import io.watchgate.client.WatchListener;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * Terminal with the table of {@code watch --live}. The last message of the watch is shown below the
 * table, and all are printed once the terminal is restored. Thread-safe.
 */
final class LiveDisplay implements AutoCloseable {
  /** Age up to which a message is shown; the table itself says if its rows are old. */
  private static final Duration MAX_MESSAGE_AGE = Duration.ofSeconds(20);

  private static final String END_HINT = "Ctrl-C ends";

  private final Stdio stdio;
  private final HeldMessages messages;
  private final LiveView view;
  private final Thread closer = new Thread(this::restore, "terminal");

  /** Creates a display that {@link #start} shows. */
  LiveDisplay(Stdio stdio, LiveTable table, RowStyle style, String title) {
    this.stdio = stdio;
    this.messages = new HeldMessages(stdio.clock());
    this.view = new LiveView(stdio.out(), stdio.clock(), table, style, title, this::linesBelow);
  }

  List<String> linesBelow() {
    Optional<String> message = messages.last(MAX_MESSAGE_AGE);
    return message.filter(text -> text.contains(END_HINT)).isPresent()
        ? List.of(message.get())
        : Stream.concat(message.stream(), Stream.of(END_HINT)).toList();
  }

  /** Returns the stream for messages. */
  PrintStream messages() {
    return messages.stream();
  }

  /** Returns a listener that shows each update before another one handles it. */
  WatchListener before(WatchListener listener) {
    return update -> {
      view.onUpdate(update);
      listener.onUpdate(update);
    };
  }

  /**
   * Shows the table until {@link #close}, which the end of the process calls too.
   *
   * @param exitCode is completed if the terminal cannot be written
   */
  void start(CompletableFuture<Integer> exitCode) {
    Runtime.getRuntime().addShutdownHook(closer);
    Thread.ofPlatform().daemon().name("live-view").start(() -> run(exitCode));
  }

  private void run(CompletableFuture<Integer> exitCode) {
    try {
      view.run();
    } catch (IOException e) {
      exitCode.complete(ExitCodes.FAILED);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Restores the terminal, and prints the messages. */
  @Override
  public void close() {
    restore();
    ShutdownHook.remove(closer);
  }

  private void restore() {
    view.end();
    stdio.err().print(messages.take());
    stdio.err().flush();
  }
}
