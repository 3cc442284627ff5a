package io.watchgate.cli;

import io.watchgate.cli.output.CommandOutput.CommandFailedException;
import io.watchgate.cli.output.EventOutput;
import io.watchgate.cli.output.EventOutput.Part;
import io.watchgate.client.Interruption;
import io.watchgate.client.Position;
import io.watchgate.client.WatchError;
import io.watchgate.client.WatchListener;
import io.watchgate.client.WatchUpdate;
import io.watchgate.proto.v1.Selection;
import io.watchgate.proto.v1.WatchEvent;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Listener of one {@code watchgate watch}: prints updates as rows and lines. Not thread-safe;
 * sessions that share an output run one at a time.
 *
 * <p>Each update is first printed, then checked against {@code --until}, then its position is
 * saved. So a saved token covers nothing that was not printed.
 */
final class WatchSession implements WatchListener {
  /**
   * Attempts after which a version that is ahead counts as one of another cluster. A lagging
   * replica reaches a version of its own cluster within the first of them.
   */
  private static final int MAX_ATTEMPTS_AHEAD = 3;

  /** Answers of HTTP, for each replica, after which the address counts as mistyped. */
  private static final int MAX_HTTP_ANSWERS = 3;

  private final EventOutput output;
  private final ReconnectReporter reporter;
  private final Settings settings;
  private final StalenessNotice staleness;
  private final PlaceholderBody placeholderBody = new PlaceholderBody();
  private final PrintedObjects printedObjects = new PrintedObjects(placeholderBody);
  private final CompletableFuture<Integer> exitCode;
  private final CompletableFuture<Void> admitted;
  private final CompletableFuture<Void> firstState;
  private final Optional<UntilAll> untilAll;
  private final Supplier<String> emptyReason;
  private boolean answered;
  private int attemptsAhead;
  private int httpAnswers;
  private boolean anySnapshot;
  private boolean anyPosition;

  /**
   * Outcome of a command's sessions.
   *
   * @param exitCode completed by the first session that is over
   * @param admitted completed once a gateway has admitted a session
   * @param firstState completed once the state at the start is known, and checked
   */
  record Outcome(
      CompletableFuture<Integer> exitCode,
      CompletableFuture<Void> admitted,
      CompletableFuture<Void> firstState) {
    Outcome() {
      this(new CompletableFuture<>(), new CompletableFuture<>(), new CompletableFuture<>());
    }
  }

  /** Handling of the first snapshot; with {@code --changes-only} it is not printed. */
  enum FirstSnapshot {
    PRINTED,
    NOT_PRINTED
  }

  /**
   * Settings of a session.
   *
   * @param server the gateway, or all its replicas, for messages
   * @param replicas number of addresses that are named; the watch ends after as many failed
   *     attempts, if no gateway ever answered
   * @param selection selection as typed, for error messages
   * @param until condition for one object that ends the session
   * @param untilAll condition for all objects that ends the session
   * @param saveTo file for each position reached
   * @param waits false if the watch ends with the state at the start
   */
  record Settings(
      String server,
      int replicas,
      Selection selection,
      FirstSnapshot firstSnapshot,
      Optional<UntilCondition> until,
      Optional<UntilCondition> untilAll,
      Optional<PositionFile> saveTo,
      boolean waits) {}

  /**
   * Creates a session.
   *
   * @param outcome may be shared with other sessions; once it has an exit code, the session prints
   *     no more
   */
  WatchSession(
      Outcome outcome,
      EventOutput output,
      ReconnectReporter reporter,
      Settings settings,
      StalenessNotice staleness,
      Supplier<String> emptyReason) {
    this.exitCode = outcome.exitCode;
    this.admitted = outcome.admitted;
    this.firstState = outcome.firstState;
    this.output = output;
    this.reporter = reporter;
    this.settings = settings;
    this.staleness = staleness;
    this.untilAll = settings.untilAll.map(UntilAll::new);
    this.emptyReason = emptyReason;
  }

  @Override
  public void onUpdate(WatchUpdate update) {
    if (exitCode.isDone()) {
      return;
    }
    try {
      handle(update);
    } catch (CommandFailedException e) {
      reporter.report(
          ErrorText.clause(String.valueOf(e.getMessage()))
              + "; the watch ends, and no token covers this event");
      exitCode.complete(ExitCodes.COMMAND_FAILED);
    } catch (InterruptedIOException e) {
      exitCode.complete(ExitCodes.FAILED); // the process ends; the code is not used
    } catch (IOException e) {
      onOutputFailed(e);
    }
  }

  private void handle(WatchUpdate update) throws IOException {
    switch (update) {
      case WatchUpdate.Opened opened -> {
        answered = true;
        admitted.complete(null);
      }
      case WatchUpdate.SnapshotBegun begun -> {
        reporter.onSnapshotBegun(begun);
        printedObjects.beginSnapshot(begun.reason());
      }
      case WatchUpdate.SnapshotObjects snapshot -> {
        reporter.onSnapshotObjects(snapshot.objects().size());
        List<WatchEvent> first = printedObjects.addSnapshotObjects(snapshot.objects());
        switch (settings.firstSnapshot) {
          case PRINTED -> print(Part.SNAPSHOT, first);
          case NOT_PRINTED -> output.learn(first);
        }
        checkUntil(first);
      }
      case WatchUpdate.SnapshotComplete complete -> onSnapshotComplete(complete);
      case WatchUpdate.Changes changes -> {
        changes.netEffect().ifPresent(effect -> reporter.onNetEffect(changes, effect));
        printedObjects.apply(changes.events());
        print(Part.CHANGES, changes.events());
        recordPosition(changes.position());
        checkUntil(changes.events());
        checkUntilAll(changes.position());
        firstState.complete(null);
      }
      case WatchUpdate.Bookmark bookmark -> {
        if (bookmark.position().isPresent()) {
          recordPosition(bookmark.position().get());
          bookmark.age().ifPresent(staleness::checkBookmark);
          firstState.complete(null);
        }
      }
      case WatchUpdate.Interrupted interrupted -> onInterrupted(interrupted);
      case WatchUpdate.Reconnected reconnected -> reporter.onReconnected(reconnected);
      case WatchUpdate.Ended(WatchError error) -> {
        reporter.report(ErrorText.of(error, settings.selection));
        exitCode.complete(ExitCodes.FAILED);
      }
    }
  }

  private void onSnapshotComplete(WatchUpdate.SnapshotComplete complete) throws IOException {
    boolean first = printedObjects.isFirstSnapshot();
    List<WatchEvent> differences = printedObjects.completeSnapshot();
    if (first) {
      reporter.onFirstSnapshotComplete(
          complete.position(), anyPosition ? "" : " since the given start", printedText());
    } else {
      reporter.onSnapshotComplete(complete.position(), differences);
    }
    print(Part.CHANGES, differences);
    recordPosition(complete.position());
    staleness.checkSnapshot(complete.staleness());
    boolean nothing = printedObjects.size() == 0;
    if (nothing && settings.until.filter(UntilCondition::isMetByEmptySnapshot).isPresent()) {
      completeMet("nothing matches at version " + complete.position().resourceVersion());
      return;
    }
    if (!anySnapshot && nothing) {
      String reason = emptyReason.get();
      String nothingMatches = reason.isEmpty() ? "nothing matches" : reason;
      reporter.report(
          nothingMatches + (settings.waits ? " yet; waiting for changes, Ctrl-C ends" : ""));
    }
    anySnapshot = true;
    checkUntil(differences);
    checkUntilAll(complete.position());
    firstState.complete(null);
  }

  private String printedText() {
    return switch (settings.firstSnapshot) {
      case PRINTED -> "printing the current " + printedObjects.size() + " objects";
      case NOT_PRINTED -> "skipping the current " + printedObjects.size() + " objects";
    };
  }

  private void checkUntil(List<WatchEvent> events) {
    untilAll.ifPresent(all -> all.apply(events));
    settings
        .until
        .flatMap(expectation -> expectation.firstMatch(events))
        .ifPresent(this::completeMet);
  }

  private void checkUntilAll(Position position) {
    untilAll.flatMap(all -> all.met(position.resourceVersion())).ifPresent(this::completeMet);
  }

  private void completeMet(String by) {
    settings.until.ifPresent(
        condition -> reporter.report("--until " + condition.text() + " is met: " + by));
    settings.untilAll.ifPresent(
        condition -> reporter.report("--until-all " + condition.text() + " is met: " + by));
    exitCode.complete(ExitCodes.SUCCESS);
  }

  private void recordPosition(Position position) {
    anyPosition = true;
    settings.saveTo.ifPresent(file -> save(file, position));
  }

  private void save(PositionFile file, Position position) {
    try {
      file.write(position);
    } catch (IOException e) {
      reporter.report(String.valueOf(e.getMessage()));
      exitCode.complete(ExitCodes.FAILED);
    }
  }

  private void onInterrupted(WatchUpdate.Interrupted interrupted) {
    if (interrupted.snapshotDiscarded()) {
      printedObjects.discardSnapshot();
      reporter.onSnapshotDiscarded();
    }
    if (!anyPosition && isBehind(interrupted.cause())) {
      onStartAhead(interrupted);
      return;
    }
    if (!answered
        && !admitted.isDone()
        && interrupted.cause() instanceof Interruption.Failed(WatchError error)) {
      switch (error.origin()) {
        // An address that was never reached is more often mistyped than temporarily unavailable.
        case CLIENT -> {
          if (interrupted.attempt() < settings.replicas) {
            reporter.onUnreachable(error);
          } else {
            failUnreachable(error);
          }
          return;
        }
        case OTHER_SERVER -> {
          onOtherServer(interrupted, error);
          return;
        }
        case GATEWAY -> answered = true;
      }
    }
    reporter.onInterrupted(interrupted);
  }

  private void onOtherServer(WatchUpdate.Interrupted interrupted, WatchError error) {
    if (!TransportErrorText.isPermanentHttpAnswer(error)) {
      reporter.onOtherServer(settings.server, interrupted, "trying until a gateway answers");
      return;
    }
    httpAnswers++;
    int attempts = MAX_HTTP_ANSWERS * settings.replicas;
    if (httpAnswers < attempts) {
      reporter.onOtherServer(settings.server, interrupted, "trying " + attempts + " times in all");
    } else {
      failUnreachable(error);
    }
  }

  private void onStartAhead(WatchUpdate.Interrupted interrupted) {
    answered = true;
    attemptsAhead++;
    if (attemptsAhead < MAX_ATTEMPTS_AHEAD) {
      reporter.onStartAhead(interrupted, MAX_ATTEMPTS_AHEAD);
      return;
    }
    reporter.report(
        "the version that --from names is ahead of the cluster: the gateway waited for it "
            + attemptsAhead
            + " times. Is it of this cluster and this type? Without --from the watch begins with"
            + " a snapshot.");
    exitCode.complete(ExitCodes.FAILED);
  }

  private void failUnreachable(WatchError error) {
    reporter.report("cannot watch at " + settings.server + ": " + ErrorText.of(error));
    reporter.report(
        "no gateway ever answered there, so the watch ends. "
            + TransportErrorText.of(error).advice());
    exitCode.complete(ExitCodes.FAILED);
  }

  private static boolean isBehind(Interruption cause) {
    return cause instanceof Interruption.Failed failed && failed.error().reason().equals("BEHIND");
  }

  private void print(Part part, List<WatchEvent> events) throws IOException {
    if (!events.isEmpty()) {
      output.write(
          part, events.stream().map(event -> placeholderBody.complete(event, reporter)).toList());
    }
  }

  private void onOutputFailed(IOException failure) {
    // The reader, such as head, has closed the pipe.
    if (Stdio.isBrokenPipe(failure)) {
      exitCode.complete(ExitCodes.SUCCESS);
      return;
    }
    reporter.report("cannot write to stdout: " + failure.getMessage());
    exitCode.complete(ExitCodes.FAILED);
  }
}
