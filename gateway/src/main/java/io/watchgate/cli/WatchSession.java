package io.watchgate.cli;

import io.watchgate.cli.output.CommandFailedException;
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

/**
 * Listener of one {@code watchgate watch}: prints updates as rows and lines. Runs on the serial
 * executor of the call; only {@link #exitCode} and {@link #readerLeft} may be called from other
 * threads.
 *
 * <p>Each update is first printed, then checked against {@code --until}, then its position is
 * saved. So a saved token covers nothing that was not printed.
 */
final class WatchSession implements WatchListener {
  /**
   * Attempts after which a version that is ahead counts as one of another cluster. A lagging
   * replica reaches a version of its own cluster within the first of them.
   */
  private static final int ATTEMPTS_AHEAD = 3;

  private final EventOutput output;
  private final ReconnectReporter narrator;
  private final Settings settings;
  private final StalenessNotice staleness;
  private final PlaceholderBody standIn = new PlaceholderBody();
  private final PrintedObjects held = new PrintedObjects(standIn);
  private final CompletableFuture<Integer> exitCode = new CompletableFuture<>();
  private boolean admitted;
  private boolean anySnapshot;
  private boolean anyPosition;

  /** Handling of the first snapshot; with {@code --changes-only} it is not printed. */
  enum FirstSnapshot {
    PRINTED,
    TAKEN_IN
  }

  /**
   * Settings of a session.
   *
   * @param asked selection as typed, for error messages
   * @param until condition that ends the session
   * @param saveTo file for each position reached
   */
  record Settings(
      ServerAddress server,
      Selection asked,
      FirstSnapshot firstSnapshot,
      Optional<UntilCondition> until,
      Optional<PositionFile> saveTo) {}

  WatchSession(
      EventOutput output,
      ReconnectReporter narrator,
      Settings settings,
      StalenessNotice staleness) {
    this.output = output;
    this.narrator = narrator;
    this.settings = settings;
    this.staleness = staleness;
  }

  /** Returns a future that completes with the exit code when the session is over. */
  CompletableFuture<Integer> exitCode() {
    return exitCode;
  }

  /** Ends the session because stdout has no reader any more. Callable from any thread. */
  void readerLeft() {
    exitCode.complete(ExitCodes.DONE);
  }

  @Override
  public void onUpdate(WatchUpdate update) {
    if (exitCode.isDone()) {
      return;
    }
    try {
      take(update);
    } catch (CommandFailedException e) {
      narrator.say(
          ErrorText.clause(String.valueOf(e.getMessage()))
              + "; the watch ends, and no token covers this event");
      exitCode.complete(ExitCodes.COMMAND_FAILED);
    } catch (InterruptedIOException e) {
      exitCode.complete(ExitCodes.FAILED); // the process ends; the code is not used
    } catch (IOException e) {
      outputFailed(e);
    }
  }

  private void take(WatchUpdate update) throws IOException {
    switch (update) {
      case WatchUpdate.Opened opened -> admitted = true;
      case WatchUpdate.SnapshotBegun begun -> {
        narrator.snapshotBegun(begun);
        held.begin(begun.reason());
      }
      case WatchUpdate.SnapshotObjects snapshot -> {
        narrator.snapshotObjects(snapshot.objects().size());
        List<WatchEvent> first = held.collect(snapshot.objects());
        switch (settings.firstSnapshot) {
          case PRINTED -> print(Part.SNAPSHOT, first);
          case TAKEN_IN -> output.learn(first);
        }
        expect(first);
      }
      case WatchUpdate.SnapshotComplete complete -> completed(complete);
      case WatchUpdate.Changes changes -> {
        changes.netEffect().ifPresent(effect -> narrator.netEffect(changes, effect));
        held.apply(changes.events());
        print(Part.CHANGES, changes.events());
        reached(changes.position());
        expect(changes.events());
      }
      case WatchUpdate.Bookmark bookmark -> {
        if (bookmark.position().isPresent()) {
          reached(bookmark.position().get());
          bookmark.age().ifPresent(staleness::ofBookmark);
        }
      }
      case WatchUpdate.Interrupted interrupted -> interrupted(interrupted);
      case WatchUpdate.Reconnected reconnected -> narrator.reconnected(reconnected);
      case WatchUpdate.Ended(WatchError error) -> {
        narrator.say(ErrorText.of(error, settings.asked));
        exitCode.complete(ExitCodes.FAILED);
      }
    }
  }

  private void completed(WatchUpdate.SnapshotComplete complete) throws IOException {
    boolean first = held.isFirst();
    List<WatchEvent> differences = held.complete();
    if (first) {
      narrator.firstSnapshotComplete(complete.position(), whatIsPrinted());
    } else {
      narrator.snapshotComplete(complete.position(), differences);
      print(Part.CHANGES, differences);
    }
    reached(complete.position());
    staleness.ofSnapshot(complete.staleness());
    boolean nothing = held.size() == 0;
    if (nothing && settings.until.filter(UntilCondition::isMetByNothing).isPresent()) {
      met("nothing matches at version " + complete.position().resourceVersion());
      return;
    }
    if (!anySnapshot && nothing) {
      narrator.say("nothing matches yet; waiting for changes, Ctrl-C ends");
    }
    anySnapshot = true;
    expect(differences);
  }

  private String whatIsPrinted() {
    return switch (settings.firstSnapshot) {
      case PRINTED -> "what is there now is printed: " + held.size() + " objects";
      case TAKEN_IN -> "what is there now, " + held.size() + " objects, is not printed";
    };
  }

  private void expect(List<WatchEvent> events) {
    settings.until.flatMap(expectation -> expectation.metBy(events)).ifPresent(this::met);
  }

  private void met(String by) {
    settings.until.ifPresent(expectation -> narrator.say(expectation.text() + ": " + by));
    exitCode.complete(ExitCodes.DONE);
  }

  private void reached(Position position) {
    anyPosition = true;
    settings.saveTo.ifPresent(file -> save(file, position));
  }

  private void save(PositionFile file, Position position) {
    try {
      file.write(position);
    } catch (IOException e) {
      narrator.say(String.valueOf(e.getMessage()));
      exitCode.complete(ExitCodes.FAILED);
    }
  }

  private void interrupted(WatchUpdate.Interrupted interrupted) {
    if (interrupted.snapshotDiscarded()) {
      held.discard();
      narrator.snapshotDiscarded();
    }
    if (!anyPosition && interrupted.attempt() >= ATTEMPTS_AHEAD && isBehind(interrupted.cause())) {
      narrator.say(
          "the version that --from names is ahead of the cluster: the gateway waited for it "
              + interrupted.attempt()
              + " times. Is it of this cluster and this type? Without --from the watch begins with"
              + " a snapshot.");
      exitCode.complete(ExitCodes.FAILED);
      return;
    }
    if (!admitted && interrupted.cause() instanceof Interruption.Failed(WatchError error)) {
      switch (error.origin()) {
        // An address that was never reached is more often mistyped than temporarily unavailable.
        case CLIENT -> {
          notReached(error);
          return;
        }
        case OTHER_SERVER -> {
          narrator.otherServer(settings.server, interrupted);
          return;
        }
        case GATEWAY -> {}
      }
    }
    narrator.interrupted(interrupted);
  }

  private void notReached(WatchError error) {
    narrator.say("cannot watch at " + settings.server + ": " + ErrorText.of(error));
    narrator.say(
        "not tried again, as no gateway ever answered there. "
            + TransportErrorText.of(error).advice());
    exitCode.complete(ExitCodes.FAILED);
  }

  private static boolean isBehind(Interruption cause) {
    return cause instanceof Interruption.Failed failed && failed.error().reason().equals("BEHIND");
  }

  private void print(Part part, List<WatchEvent> events) throws IOException {
    if (!events.isEmpty()) {
      output.write(part, events.stream().map(event -> standIn.complete(event, narrator)).toList());
    }
  }

  private void outputFailed(IOException failure) {
    // The reader, such as head, has closed the pipe.
    if (BrokenPipe.is(failure)) {
      readerLeft();
      return;
    }
    narrator.say("cannot write to stdout: " + failure.getMessage());
    exitCode.complete(ExitCodes.FAILED);
  }
}
