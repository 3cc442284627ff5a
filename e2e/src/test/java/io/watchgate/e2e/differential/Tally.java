package io.watchgate.e2e.differential;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Counters of the cases that a run has covered. Distinct writes are counted, not the events that
 * each watch received for them.
 */
final class Tally {
  private static final int REQUIRED = 100;
  private static final int REQUIRED_RELISTS = 3;

  /** A stream lags only if its token is at the edge of history, which is rare. */
  private static final int LAGGED_SHARE = 10;

  private final int rounds;
  private final Set<String> entering = new HashSet<>();
  private final Set<String> leaving = new HashSet<>();
  private final Set<String> recreated = new HashSet<>();
  private final Set<String> deleted = new HashSet<>();
  private final List<String> relists = new ArrayList<>();
  private int events;
  private int resumed;
  private int resumedAfterTrim;
  private int expired;
  private int lagged;
  private int cuts;

  /**
   * @param rounds factor of the required counts, 1 for a normal run
   */
  Tally(int rounds) {
    this.rounds = rounds;
  }

  synchronized void event() {
    events++;
  }

  synchronized void entering(String write) {
    entering.add(write);
  }

  synchronized void leaving(String write) {
    leaving.add(write);
  }

  synchronized void recreated(String write) {
    recreated.add(write);
  }

  synchronized void deleted(String write) {
    deleted.add(write);
  }

  synchronized void cut() {
    cuts++;
  }

  /** Counts a gap with enough changes, as {@code type changes/deletes/re-creations}. */
  synchronized void relist(String which) {
    relists.add(which);
  }

  /** Counts a stream that resumed from its token with events after the token. */
  synchronized void resumed() {
    resumed++;
  }

  /** Counts a resumed stream whose history was trimmed between the token and the new stream. */
  synchronized void resumedAfterTrim() {
    resumedAfterTrim++;
  }

  /** Counts a token that was older than history and answered with a snapshot. */
  synchronized void expired() {
    expired++;
  }

  /** Counts a resumed stream whose changes were trimmed before they were sent. */
  synchronized void lagged() {
    lagged++;
  }

  /** Returns whether the steady part has covered enough cases for the given number of rounds. */
  synchronized boolean steadyPartIsComplete(int afterRounds) {
    int required = afterRounds * REQUIRED;
    return entering.size() >= required
        && leaving.size() >= required
        && recreated.size() >= required
        && deleted.size() >= required
        && resumed - lagged >= required
        && resumedAfterTrim - lagged >= required / 2
        && expired >= afterRounds;
  }

  /** Fails if hard cases did not occur, because such a run proves nothing. */
  synchronized void assertComplete() {
    assertThat(steadyPartIsComplete(rounds)).as("enough was seen: %s", this).isTrue();
    assertThat(lagged)
        .as("streams that lagged: %s", this)
        .isLessThanOrEqualTo(resumedAfterTrim / LAGGED_SHARE);
    assertThat(relists).as("relists").hasSizeGreaterThanOrEqualTo(rounds * REQUIRED_RELISTS);
  }

  @Override
  public synchronized String toString() {
    return """
      events found equal       %6d
      writes: entering         %6d   at least %d
              leaving          %6d   at least %3$d
              re-creations     %6d   at least %3$d
              deletes          %6d   at least %3$d
      resumes with events      %6d   at least %3$d
        of them after a trim   %6d   at least %d
      lagged after a resume    %6d   at most %d
      expired tokens           %6d   at least %d
      cuts of the connection   %6d
      relists                  %6d   at least %d; changes/deletes/re-creations in the gap:
        %s\
    """
        .formatted(
            events,
            entering.size(),
            rounds * REQUIRED,
            leaving.size(),
            recreated.size(),
            deleted.size(),
            resumed,
            resumedAfterTrim,
            rounds * REQUIRED / 2,
            lagged,
            resumedAfterTrim / LAGGED_SHARE,
            expired,
            rounds,
            cuts,
            relists.size(),
            rounds * REQUIRED_RELISTS,
            String.join(", ", relists));
  }
}
