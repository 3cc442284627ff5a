package io.watchgate.e2e.differential;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What a run has seen and found equal. Distinct writes count, not what each watch made of them. */
final class Tally {
  private static final int REQUIRED = 100;
  private static final int REQUIRED_RELISTS = 3;

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
  private int cuts;

  /**
   * @param rounds how many times as much is required as of a normal run
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

  /** A gap with enough in it, as {@code type changes/deletes/re-creations}. */
  synchronized void relist(String which) {
    relists.add(which);
  }

  /** A stream went on from its token, and there were events for it behind the token. */
  synchronized void resumed() {
    resumed++;
  }

  /** One of the former, where history was trimmed between the token and the new stream. */
  synchronized void resumedAfterTrim() {
    resumedAfterTrim++;
  }

  /** A token was older than history, and answered with a snapshot. */
  synchronized void expired() {
    expired++;
  }

  /** Whether so many rounds have what needs steady writes. */
  synchronized boolean steadyPartIsComplete(int afterRounds) {
    int required = afterRounds * REQUIRED;
    return entering.size() >= required
        && leaving.size() >= required
        && recreated.size() >= required
        && deleted.size() >= required
        && resumed >= required
        && resumedAfterTrim >= required / 2
        && expired >= afterRounds;
  }

  /** A run that did not see the hard cases proves nothing. */
  synchronized void assertComplete() {
    assertThat(steadyPartIsComplete(rounds)).as("enough was seen: %s", this).isTrue();
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
            expired,
            rounds,
            cuts,
            relists.size(),
            rounds * REQUIRED_RELISTS,
            String.join(", ", relists));
  }
}
