package io.watchgate.fanout;

import io.watchgate.cache.CacheWriter;
import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.Revision;
import io.watchgate.cache.SampleObject;
import io.watchgate.cache.TimeSource;
import io.watchgate.error.ApiException;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jetbrains.lincheck.datastructures.verifier.EpsilonVerifier;
import org.jetbrains.lincheck.util.LoggingLevel;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Model checker test of joining a feed while changes arrive and feeds are opened and closed. The
 * writer of the cache, the router and two streams run in interleavings that the model checker
 * selects. Public, as the model checker requires.
 */
@Tag("slow")
@Isolated("the model checker changes classes that other tests run")
public final class FeedJoinTest {
  /**
   * Classes in which threads share state. All other state is confined to one thread or immutable;
   * checking it would take most of the steps. Maps guarded by locks are not checked either, so a
   * missing lock around such a map is not found here.
   */
  private static final Set<String> MEETING =
      Set.of(
          "io.watchgate.fanout.FeedJoinTest",
          "io.watchgate.fanout.ChangeRouter",
          "io.watchgate.fanout.RouterRegistry",
          "io.watchgate.fanout.FrameLog",
          "io.watchgate.fanout.Feed",
          "io.watchgate.fanout.FeedRegistry",
          "io.watchgate.fanout.FrameNode",
          "io.watchgate.fanout.Replay",
          "io.watchgate.fanout.SerialTask",
          "io.watchgate.cache.CacheWriter",
          "io.watchgate.cache.WriterBackpressure",
          "io.watchgate.cache.RetainedRevisions",
          "io.watchgate.cache.Revision",
          "io.watchgate.cache.WatchApplier",
          "io.watchgate.cache.WatchCache");

  private static final SampleObject OBJECT = SampleObject.of("n", "a", 1);

  /** No task here depends on time. */
  private static final ScheduledExecutorService NO_TIMER = new ScheduledThreadPoolExecutor(0);

  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final CacheWriter writer =
      new CacheWriter(CacheWriter.settings(), new TimeSource(() -> Instant.EPOCH, () -> 0));
  private final RouterRegistry routers =
      new RouterRegistry(tasks::add, tasks::add, NO_TIMER, FanoutSettings.DEFAULTS.limits());
  private final Client one = new Client();
  private final Client other = new Client();
  private long last = 1;
  private volatile @Nullable String wrong;

  /** Creates a cache with one object. */
  public FeedJoinTest() {
    writer.list(1, OBJECT);
  }

  /** Stream of a feed: joins with its base, follows the log, leaves. */
  private final class Client {
    private @Nullable Stay stay;

    void joinOrLeave() {
      Stay now = stay;
      if (now == null) {
        stay = new Stay();
      } else if (now.joinPoint != null) {
        now.follow();
        leave();
      }
    }

    void leave() {
      Stay now = stay;
      if (now != null) {
        now.end();
        stay = null;
      }
    }

    void follow() {
      Stay now = stay;
      if (now != null) {
        now.follow();
      }
    }
  }

  /** One membership, from joining to leaving. */
  private final class Stay implements ChangeRouter.Attachment {
    private final RouterRegistry.Lease lease;
    private long seen;
    private volatile @Nullable JoinPoint joinPoint;
    private @Nullable FrameNode node;

    Stay() {
      StreamRequest asking = StreamRequest.EVERYTHING;
      try {
        lease = routers.open(writer.cache(), asking.selection(), asking.format());
      } catch (ApiException e) {
        throw new IllegalStateException(e);
      }
      Revision base = writer.head();
      seen = number(base.version());
      lease.router().attach(lease.feed(), base, this);
    }

    @Override
    public void attached(JoinPoint joinPoint) {
      this.joinPoint = joinPoint;
    }

    @Override
    public void failed() {
      wrong("a stream was not let in");
    }

    void follow() {
      JoinPoint from = joinPoint;
      if (from == null) {
        return;
      }
      FrameNode at = node == null ? from.node() : node;
      for (LogEntry entry = at.next(); entry != null; entry = at.next()) {
        switch (entry) {
          case LogEntry.Frame frame -> {
            see(number(frame.position().version()));
            at = frame.after();
          }
          case LogEntry.Splice(FrameNode to) -> at = to;
          case LogEntry.Gap _, LogEntry.Released _ -> {
            wrong("after " + seen + " there is " + entry);
            return;
          }
        }
      }
      node = at;
    }

    private void see(long next) {
      if (next != seen + 1) {
        wrong("after " + seen + " comes " + next);
      }
      seen = next;
    }

    void end() {
      JoinPoint given = joinPoint;
      if (given != null) {
        given.release();
      }
      lease.router().detach(lease.feed());
      lease.close();
    }
  }

  private static long number(ResourceVersion version) {
    return Long.parseLong(version.digits());
  }

  private void routeAll() {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
    }
  }

  private void wrong(String what) {
    wrong = what;
  }

  /** Adds a change that every feed selects. Runs on the writer's thread. */
  @Operation(nonParallelGroup = "writer")
  public void change() {
    writer.put(OBJECT.at(++last));
  }

  /** Runs one task of the pool. */
  @Operation(nonParallelGroup = "router")
  public void route() {
    Runnable task = tasks.poll();
    if (task != null) {
      task.run();
    }
  }

  /** Runs on the event loop of the first stream. */
  @Operation(nonParallelGroup = "one")
  public void oneJoinsOrLeaves() {
    one.joinOrLeave();
  }

  /** Runs on the event loop of the first stream. */
  @Operation(nonParallelGroup = "one")
  public void oneFollows() {
    one.follow();
  }

  /** Runs on the event loop of the second stream. */
  @Operation(nonParallelGroup = "other")
  public void otherJoinsOrLeaves() {
    other.joinOrLeave();
  }

  /** Each stream gets every change exactly once, and leaves nothing behind. */
  @Validate
  public void everyChangeSinceItsBaseIsSeenOnce() {
    allIsSeen();
    change(); // no follower was forgotten, either
    allIsSeen();
    for (Client client : List.of(one, other)) {
      client.leave();
    }
    if (routers.feeds() != 0 || !routers.measurements().isEmpty()) {
      wrong(routers.feeds() + " feeds are left behind");
    }
    if (wrong != null) {
      throw new IllegalStateException(wrong);
    }
  }

  private void allIsSeen() {
    routeAll();
    for (Client client : List.of(one, other)) {
      client.follow();
      if (client.stay != null && client.stay.seen != last) {
        wrong("the last is " + last + ", and " + client.stay.seen + " was seen");
      }
    }
  }

  /**
   * The model checker cannot locate fields of records and warns about each; records are immutable.
   */
  @BeforeAll
  static void onlyErrorsAreLogged() {
    System.setProperty("lincheck.logLevel", "ERROR");
  }

  @Test
  void joiningStream_seesEveryChangeOnce() {
    check(12);
  }

  @Test
  @Tag("thorough")
  void joiningStream_inManyScenarios_seesEveryChangeOnce() {
    check(60);
  }

  private static void check(int scenarios) {
    new ModelCheckingOptions()
        .threads(2)
        .actorsBefore(2)
        .actorsPerThread(4)
        .actorsAfter(0)
        .iterations(scenarios)
        .invocationsPerIteration(200)
        .verifier(EpsilonVerifier.class)
        .addGuarantee(
            ManagedStrategyGuaranteeKt.forClasses(
                    name -> !MEETING.contains(name.replaceFirst("\\$.*", "")))
                .allMethods()
                .ignore())
        .logLevel(LoggingLevel.ERROR)
        .minimizeFailedScenario(false)
        .check(FeedJoinTest.class);
  }
}
