package io.watchgate.cli;

import io.watchgate.cli.output.TerminalEscaper;
import io.watchgate.client.Interruption;
import io.watchgate.client.Position;
import io.watchgate.client.WatchError;
import io.watchgate.client.WatchUpdate;
import io.watchgate.proto.v1.GoingAwayReason;
import io.watchgate.proto.v1.Selection;
import io.watchgate.proto.v1.SnapshotReason;
import io.watchgate.proto.v1.WatchEvent;
import java.io.PrintStream;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Messages of a watch on stderr: one line for each reconnect, with what was missed and what was
 * resumed. {@link #report} may be called on any thread.
 */
final class ReconnectReporter {
  /** Message printed about the current outage. */
  private enum Waiting {
    UNREPORTED,
    REPORTED,
    REPORTED_FORBIDDEN,
    REPORTED_AHEAD
  }

  private final PrintStream err;
  private final String subject;
  private final Optional<SnapshotProgress> progress;
  private WatchUpdate.@Nullable Reconnected unreportedReconnect;
  private Waiting outageReport = Waiting.UNREPORTED;
  private final Set<String> printedPointers = new HashSet<>();
  private SnapshotReason snapshotReason = SnapshotReason.SNAPSHOT_REASON_UNSPECIFIED;

  ReconnectReporter(PrintStream err) {
    this(err, Optional.empty());
  }

  ReconnectReporter(PrintStream err, Optional<SnapshotProgress> progress) {
    this(err, "", progress);
  }

  private ReconnectReporter(PrintStream err, String subject, Optional<SnapshotProgress> progress) {
    this.err = err;
    this.subject = subject;
    this.progress = progress;
  }

  /** Returns a reporter whose lines name the type of a selection, for one of several watches. */
  ReconnectReporter about(Selection selection) {
    return new ReconnectReporter(
        err, TypeArgument.text(selection.getResourceType()) + ": ", Optional.empty());
  }

  /** Prints a message. Lines after the first are to be indented by the caller. */
  synchronized void report(String text) {
    progress.ifPresent(SnapshotProgress::clear);
    err.println("watchgate: " + subject + TerminalEscaper.inLines(text));
  }

  /**
   * Prints one line if the reconnect takes more than one attempt; details follow on the reconnect.
   */
  void onInterrupted(WatchUpdate.Interrupted interrupted) {
    Optional<WatchError> error = error(interrupted.cause());
    boolean isForbidden =
        error.filter(of -> of.reason().equals(ErrorText.UPSTREAM_FORBIDDEN)).isPresent();
    if (interrupted.attempt() == 1) {
      outageReport = Waiting.UNREPORTED;
    }
    boolean isNotReady = error.filter(of -> of.retryAfter().isPositive()).isPresent();
    if (isForbidden && outageReport != Waiting.REPORTED_FORBIDDEN) {
      outageReport = Waiting.REPORTED_FORBIDDEN;
      report(
          "waiting: "
              + causeText(interrupted.cause())
              + "; "
              + ErrorText.ADMINISTRATOR_HINT
              + "; retrying at longer intervals until then, Ctrl-C ends"
              + firstPointer(error));
    } else if (outageReport == Waiting.UNREPORTED && (isNotReady || interrupted.attempt() >= 2)) {
      outageReport = Waiting.REPORTED;
      report(
          "waiting: "
              + causeText(interrupted.cause())
              + "; trying until it works, Ctrl-C ends"
              + firstPointer(error));
    }
  }

  /**
   * Prints one line for a gateway that has not reached the start of the watch.
   *
   * @param attempts attempts after which the watch ends
   */
  void onStartAhead(WatchUpdate.Interrupted interrupted, int attempts) {
    if (outageReport != Waiting.REPORTED_AHEAD) {
      outageReport = Waiting.REPORTED_AHEAD;
      report(
          "waiting: "
              + causeText(interrupted.cause())
              + "; is the version of --from one of this cluster and type? Trying "
              + attempts
              + " times in all, Ctrl-C ends"
              + firstPointer(error(interrupted.cause())));
    }
  }

  /** Returns the line that names the error's entry in the documents, once for each reason. */
  private String firstPointer(Optional<WatchError> error) {
    return error.map(ErrorText::pointer).filter(printedPointers::add).orElse("");
  }

  /** Prints one line if a replica cannot be reached and the others have not been tried. */
  void onUnreachable(WatchError error) {
    report("a replica cannot be reached: " + ErrorText.clause(error) + "; trying the next");
  }

  /**
   * Prints one line if another server answers and no gateway has admitted the watch yet.
   *
   * @param next what the watch does then
   */
  void onOtherServer(String server, WatchUpdate.Interrupted interrupted, String next) {
    if (outageReport == Waiting.UNREPORTED) {
      outageReport = Waiting.REPORTED;
      report(
          "waiting: the server at "
              + server
              + " is not a Watchgate gateway, or a proxy answered ("
              + causeText(interrupted.cause())
              + "); "
              + next
              + ", Ctrl-C ends");
    }
  }

  private static Optional<WatchError> error(Interruption cause) {
    return cause instanceof Interruption.Failed(WatchError error)
        ? Optional.of(error)
        : Optional.empty();
  }

  void onReconnected(WatchUpdate.Reconnected reconnected) {
    unreportedReconnect = null;
    switch (reconnected.continuation()) {
      case RESUMED ->
          report(reconnectText(reconnected) + resumedAfter(reconnected) + "; nothing was missed");
      case FROM_NOW ->
          report(
              reconnectText(reconnected) + "from now on; changes in between were missed for good");
      case STARTED_OVER ->
          report(
              reconnectText(reconnected)
                  + "from the beginning; no snapshot was complete yet, so nothing was missed");
      // The differences are known when the snapshot is complete.
      case SNAPSHOT -> unreportedReconnect = reconnected;
    }
  }

  synchronized void onSnapshotBegun(WatchUpdate.SnapshotBegun begun) {
    snapshotReason = begun.reason();
    progress.ifPresent(line -> line.begin(begun.estimatedObjects()));
  }

  synchronized void onSnapshotObjects(int more) {
    progress.ifPresent(line -> line.addObjects(more));
  }

  /** Removes the progress line of a discarded snapshot. */
  synchronized void onSnapshotDiscarded() {
    progress.ifPresent(SnapshotProgress::end);
  }

  /**
   * Reports that the first snapshot is complete, unless it was simply requested.
   *
   * @param since start of the changes that were missed, if the position before is not known
   */
  synchronized void onFirstSnapshotComplete(Position position, String since, String whatIsPrinted) {
    progress.ifPresent(SnapshotProgress::end);
    WatchUpdate.Reconnected reconnected = unreportedReconnect;
    unreportedReconnect = null;
    if (reconnected != null || snapshotReason != SnapshotReason.SNAPSHOT_REASON_REQUESTED) {
      String how = reconnected == null ? "goes on " : reconnectText(reconnected);
      report(
          how
              + snapshotText(position)
              + "; changes"
              + sinceText(reconnected, since)
              + " were missed; "
              + whatIsPrinted);
    }
  }

  /** Reports that a snapshot that replaces an earlier state is complete. */
  synchronized void onSnapshotComplete(Position position, List<WatchEvent> differences) {
    progress.ifPresent(SnapshotProgress::end);
    WatchUpdate.Reconnected reconnected = unreportedReconnect;
    unreportedReconnect = null;
    report(
        (reconnected == null ? "the gateway began again " : reconnectText(reconnected))
            + snapshotText(position)
            + "; single changes"
            + sinceText(reconnected, "")
            + " were missed, their result: "
            + countsText(differences, PrintedObjects.versionsCompare(snapshotReason)));
  }

  private static String sinceText(WatchUpdate.@Nullable Reconnected reconnected, String otherwise) {
    return Optional.ofNullable(reconnected)
        .flatMap(WatchUpdate.Reconnected::lastPosition)
        .map(at -> " after version " + at.resourceVersion())
        .orElse(otherwise);
  }

  private String snapshotText(Position position) {
    return "with a snapshot at version "
        + position.resourceVersion()
        + " ("
        + reasonText(snapshotReason)
        + ")";
  }

  void onNetEffect(WatchUpdate.Changes changes, WatchUpdate.NetEffect netEffect) {
    String replaced =
        netEffect.eventsReplaced() == 0
            ? "an unknown number of"
            : Long.toUnsignedString(netEffect.eventsReplaced());
    String announced =
        switch (netEffect.reason()) {
          case NET_EFFECT_REASON_LAG -> "this client was too far behind";
          case NET_EFFECT_REASON_UPSTREAM_GAP -> "the gateway had to list again";
          case NET_EFFECT_REASON_UNSPECIFIED, UNRECOGNIZED -> "reason unknown";
        };
    report(
        replaced
            + " changes up to version "
            + changes.position().resourceVersion()
            + " were combined ("
            + announced
            + "); their net effect: "
            + countsText(changes.events(), true));
  }

  private static String reconnectText(WatchUpdate.Reconnected reconnected) {
    String attempts =
        reconnected.attempts() == 1 ? "" : ", " + reconnected.attempts() + " attempts";
    return "reconnected after "
        + secondsText(reconnected.outage())
        + attempts
        + " ("
        + causeText(reconnected.cause())
        + "): goes on ";
  }

  private static String resumedAfter(WatchUpdate.Reconnected reconnected) {
    return reconnected
        .lastPosition()
        .map(at -> "right after version " + at.resourceVersion())
        .orElse("right after the given start");
  }

  private static String causeText(Interruption cause) {
    return switch (cause) {
      // A gateway has answered this watch before, so TLS is not the reason, as it may be at first.
      case Interruption.Failed(WatchError error)
          when TransportErrorText.isClosedConnection(error) ->
          "the connection was closed";
      case Interruption.Failed(WatchError error) -> ErrorText.clause(error);
      case Interruption.GoingAway(GoingAwayReason reason, Duration within) ->
          switch (reason) {
            case GOING_AWAY_REASON_DRAINING -> "the gateway is shutting down";
            case GOING_AWAY_REASON_STREAM_AGE -> "the stream reached its greatest age";
            case GOING_AWAY_REASON_REBALANCING -> "the gateways rebalance their streams";
            case GOING_AWAY_REASON_REAUTHENTICATE -> "the gateway requires new credentials";
            case GOING_AWAY_REASON_UNSPECIFIED, UNRECOGNIZED -> "the gateway asked for it";
          };
      case Interruption.Silence(Duration waited) -> "nothing came for " + secondsText(waited);
      case Interruption.GroupTooLarge(long limit) ->
          "a group of changes exceeded the limit of " + (limit >> 20) + " MiB";
    };
  }

  private static String reasonText(SnapshotReason reason) {
    return switch (reason) {
      case SNAPSHOT_REASON_POSITION_EXPIRED -> "the gateway's history does not reach back that far";
      case SNAPSHOT_REASON_HISTORY_LOST ->
          "the gateway now serves another cluster, or the cluster was restored from a backup";
      case SNAPSHOT_REASON_TYPE_CHANGED -> "the resource type was created again or changed version";
      case SNAPSHOT_REASON_REQUESTED, SNAPSHOT_REASON_UNSPECIFIED, UNRECOGNIZED ->
          "the stream could not resume";
    };
  }

  /**
   * Returns the numbers of events.
   *
   * @param versionsCompare false if every object that is still present counts as modified, because
   *     its version says nothing
   */
  private static String countsText(List<WatchEvent> events, boolean versionsCompare) {
    int[] count = new int[3];
    for (WatchEvent event : events) {
      switch (event.getType()) {
        case EVENT_TYPE_ADDED -> count[0]++;
        case EVENT_TYPE_MODIFIED -> count[1]++;
        case EVENT_TYPE_DELETED -> count[2]++;
        case EVENT_TYPE_UNSPECIFIED, UNRECOGNIZED -> {}
      }
    }
    return count[0]
        + " added, "
        + count[1]
        + (versionsCompare ? " modified, " : " perhaps modified, ")
        + count[2]
        + " deleted";
  }

  private static String secondsText(Duration duration) {
    return String.format(Locale.ROOT, "%.1f s", duration.toMillis() / 1000.0);
  }
}
