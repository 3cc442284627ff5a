package io.watchgate.cache;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jetbrains.lincheck.util.LoggingLevel;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Model check of the chain of revisions between its writer and its readers, over the interleavings
 * of their operations. Public, because checked classes must be.
 */
@Tag("slow")
@Isolated("the model checker changes classes that other tests run")
public final class RevisionChainTest {
  private static final String CUT_OFF = "cut off";

  /** Every revision supersedes 10 bytes, so that the newest two stay. */
  private static final CacheSettings.History LIMITS =
      new CacheSettings.History(Duration.ofHours(1), 10, 10);

  private static final List<Change> CHANGES =
      List.of(new Change(null, SampleObject.of("n", "a", 1).view()));

  private final RetainedRevisions retained =
      new RetainedRevisions(LIMITS, new HeapBudget(Long.MAX_VALUE));
  private int last;
  private final Reader reader;

  /** Creates a history of one revision, and a reader at that revision. */
  public RevisionChainTest() {
    append();
    reader = new Reader(Objects.requireNonNull(retained.oldest()));
  }

  /** Reader that follows the chain like a stream. */
  private static final class Reader {
    private final List<String> seen = new ArrayList<>();
    private @Nullable Revision at;

    Reader(Revision start) {
      at = start;
    }

    void follow() {
      for (Revision from = at; from != null; from = at) {
        Revision next = from.next();
        if (next == null && !from.isTrimmed()) {
          return;
        }
        if (next != null && !next.changes().isEmpty()) {
          seen.add(next.version().digits());
          at = next;
        } else {
          seen.add(CUT_OFF);
          at = null;
        }
      }
    }
  }

  /** Called by the writer. */
  @Operation(nonParallelGroup = "writer")
  public void append() {
    last++;
    retained.append(
        new Revision(
            last,
            new ResourceVersion(Integer.toString(last)),
            Revision.Kind.CHANGES,
            CHANGES,
            StateMap.EMPTY,
            StateDigest.EMPTY,
            new TimeSource.Reading(Instant.EPOCH, 0),
            null,
            new Revision.Totals(last, 10L * last, 0, 0)));
  }

  /** Called by the writer. */
  @Operation(nonParallelGroup = "writer")
  public int trim() {
    return retained.trim(0, Long.MAX_VALUE);
  }

  /** Called by the reader. */
  @Operation(nonParallelGroup = "reader")
  public void follow() {
    reader.follow();
  }

  /** Called by any thread. */
  @Operation
  public @Nullable String floorOfTwo() {
    Revision floor = retained.revisionAtOrBefore(new ResourceVersion("2"));
    return floor == null ? null : floor.version().digits();
  }

  /** Called by any thread. */
  @Operation
  public int size() {
    return retained.size();
  }

  /**
   * Checks that the reader has seen all revisions, or all up to the point at which it was cut off.
   */
  @Validate
  public void checkNoGap() {
    reader.follow();
    List<String> seen = reader.seen;
    for (int number = 2; number <= last; number++) {
      String one = number - 2 < seen.size() ? seen.get(number - 2) : "nothing";
      if (one.equals(CUT_OFF)) {
        return;
      }
      if (!one.equals(Integer.toString(number))) {
        throw new IllegalStateException("a gap: " + seen);
      }
    }
  }

  /** The checker logs for each record that it cannot find its fields; records never change. */
  @BeforeAll
  static void onlyErrorsAreLogged() {
    System.setProperty("lincheck.logLevel", "ERROR");
  }

  @Test
  void readerSeesEveryRevisionOrTheCutOff() {
    new ModelCheckingOptions()
        .threads(2)
        .actorsBefore(2)
        .actorsPerThread(5)
        .actorsAfter(1)
        .iterations(10)
        .invocationsPerIteration(100)
        .logLevel(LoggingLevel.ERROR)
        .minimizeFailedScenario(false)
        .check(RevisionChainTest.class);
  }
}
