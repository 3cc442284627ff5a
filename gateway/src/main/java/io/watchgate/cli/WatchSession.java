package io.watchgate.cli;

import io.watchgate.client.Interruption;
import io.watchgate.client.WatchError;
import io.watchgate.client.WatchListener;
import io.watchgate.client.WatchUpdate;
import io.watchgate.proto.v1.ObjectKey;
import io.watchgate.proto.v1.WatchEvent;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * One {@code watchgate watch}: updates in, rows and lines out. Runs on the owner of the call; only
 * {@link #exitCode} is for others.
 */
final class WatchSession implements WatchListener {
  private final EventOutput output;
  private final Narrator narrator;
  private final ServerAddress server;
  private final HeldObjects held = new HeldObjects();
  private final CompletableFuture<Integer> exitCode = new CompletableFuture<>();
  private boolean admitted;
  private boolean anySnapshot;

  WatchSession(EventOutput output, Narrator narrator, ServerAddress server) {
    this.output = output;
    this.narrator = narrator;
    this.server = server;
  }

  /** Comes true when the session is over. */
  CompletableFuture<Integer> exitCode() {
    return exitCode;
  }

  @Override
  public void onUpdate(WatchUpdate update) {
    if (exitCode.isDone()) {
      return;
    }
    try {
      take(update);
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
      case WatchUpdate.SnapshotObjects snapshot -> print(held.collect(snapshot.objects()));
      case WatchUpdate.SnapshotComplete complete -> completed(complete);
      case WatchUpdate.Changes changes -> {
        changes.netEffect().ifPresent(effect -> narrator.netEffect(changes, effect));
        held.apply(changes.events());
        print(changes.events());
      }
      case WatchUpdate.Bookmark bookmark -> {}
      case WatchUpdate.Interrupted interrupted -> interrupted(interrupted);
      case WatchUpdate.Reconnected reconnected -> narrator.reconnected(reconnected);
      case WatchUpdate.Ended(WatchError error) -> {
        narrator.say(Narrator.because(error));
        exitCode.complete(1);
      }
    }
  }

  private void completed(WatchUpdate.SnapshotComplete complete) throws IOException {
    List<WatchEvent> differences = held.complete();
    narrator.snapshotComplete(complete.position(), differences);
    print(differences);
    if (!anySnapshot && held.isEmpty()) {
      narrator.say("nothing matches yet; waiting for changes, Ctrl-C ends");
    }
    anySnapshot = true;
  }

  private void interrupted(WatchUpdate.Interrupted interrupted) {
    if (interrupted.snapshotDiscarded()) {
      held.discard();
    }
    // Whoever never reached a gateway has mistyped its address more often than lost it.
    if (!admitted
        && interrupted.cause() instanceof Interruption.Failed(WatchError error)
        && !error.isFromGateway()) {
      narrator.say("cannot watch at " + server + ": " + Narrator.because(error));
      narrator.say(
          "not tried again, as no gateway ever answered there. Start one with './watchgate serve'"
              + " or name another with --server; --tls-ca and --tls are for one that serves TLS,"
              + " and only for that. Then run this again.");
      exitCode.complete(1);
      return;
    }
    narrator.interrupted(interrupted);
  }

  private void print(List<WatchEvent> events) throws IOException {
    if (!events.isEmpty()) {
      output.write(events.stream().map(this::withBody).toList());
    }
  }

  private WatchEvent withBody(WatchEvent event) {
    if (!event.hasOmitted()) {
      return event;
    }
    ObjectKey key = event.getKey();
    narrator.say(
        key.getNamespace()
            + "/"
            + key.getName()
            + " has "
            + event.getOmitted().getSize()
            + " bytes, too many for one response; only what identifies it is printed, the rest is"
            + " to be read from the apiserver");
    return event.toBuilder().setObject(held.identity(key, event.getResourceVersion())).build();
  }

  private void outputFailed(IOException failure) {
    String said = String.valueOf(failure.getMessage());
    // Whoever read the output has seen enough: head, for one.
    if (said.contains("Broken pipe")) {
      exitCode.complete(0);
      return;
    }
    narrator.say("cannot write to stdout: " + said);
    exitCode.complete(1);
  }
}
