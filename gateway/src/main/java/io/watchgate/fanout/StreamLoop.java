package io.watchgate.fanout;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.TimeSource;
import io.watchgate.cache.WatchCache;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Runs the subscriptions that are given to it, one at a time, in turns. It belongs to one thread:
 * what it holds, and everything of its subscriptions, is touched only there. The router raises one
 * flag per feed and asks for one task; it never walks subscriptions.
 */
public final class StreamLoop {
  /** How often it looks after those who do not read. */
  private static final Duration ROUND = Duration.ofSeconds(1);

  /** Turns in one task: what they send leaves together, and others have their turn after it. */
  private static final int TURNS = 512;

  /** What streams have to do by themselves, to begin for example: so many before a walk. */
  private static final int TASKS = 32;

  private final int number;
  private final TimeSource time;
  private final FanoutMetrics metrics;
  private final Map<ApiResource, SendCounters> traffic = new ConcurrentHashMap<>();
  private final TimerWheel wheel;
  private final Map<WatchCache, CacheSubscribers> readers = new HashMap<>();
  private final Queue<List<LoopFollowers>> raised = new ConcurrentLinkedQueue<>();
  private final Queue<LoopFollowers> due = new ArrayDeque<>();
  private final SerialTask walks;
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final SerialTask others;
  private final AtomicLong arrived = new AtomicLong();
  private int subscriptions;
  private TimerWheel.@Nullable Timer round;

  /**
   * @param number of this owner among its like, for metrics
   * @param thread runs one task at a time, in order
   * @param timer only passes on to {@code thread}
   */
  public StreamLoop(
      int number,
      Executor thread,
      ScheduledExecutorService timer,
      TimeSource time,
      FanoutMetrics metrics) {
    this.number = number;
    this.time = time;
    this.metrics = metrics;
    this.wheel = new TimerWheel(thread, timer, time::nanoTime);
    this.walks = new SerialTask(thread, this::walk);
    this.others = new SerialTask(thread, this::runTasks);
  }

  // ---- from any thread

  /** Runs them in order, a few at a time: thousands that come at once are not before a walk. */
  void execute(Runnable task) {
    tasks.add(task);
    others.ask();
  }

  /** Where what is sent of a type is counted; on the owner's thread. */
  SendCounters traffic(ApiResource type) {
    return traffic.computeIfAbsent(type, counted -> new SendCounters(counted, time, metrics));
  }

  /**
   * The followers of these feeds have news.
   *
   * @param groups of this owner, each of which was {@link LoopFollowers#raise raised}
   */
  void walk(List<LoopFollowers> groups) {
    raised.add(groups);
    walks.ask();
  }

  /**
   * Which of the owner's streams the next one is. Taken when its call comes: what is asked about
   * them first may be answered in any order. From any thread.
   */
  public long arrival() {
    return arrived.getAndIncrement();
  }

  // ---- on the owner's thread

  /** Those that are there now: who asks for another turn meanwhile is behind a walk again. */
  private boolean runTasks() {
    int here = 0;
    for (Iterator<Runnable> seen = tasks.iterator(); here < TASKS && seen.hasNext(); here++) {
      seen.next();
    }
    try {
      for (; here > 0; here--) {
        tasks.remove().run();
      }
      flush();
    } finally {
      if (!tasks.isEmpty()) { // also when one of them threw
        others.ask();
      }
    }
    return false;
  }

  private boolean walk() {
    for (List<LoopFollowers> groups = raised.poll(); groups != null; groups = raised.poll()) {
      due.addAll(groups);
    }
    int turns = TURNS;
    while (turns > 0 && !due.isEmpty()) {
      turns -= walk(due.remove(), turns);
    }
    flush();
    return !due.isEmpty();
  }

  /** Whatever happens to it, it stays due until it is done, and those behind it have their turn. */
  private int walk(LoopFollowers group, int turns) {
    try {
      return group.walk(turns);
    } catch (RuntimeException | Error e) {
      walks.ask();
      throw e;
    } finally {
      if (group.isWalking() || group.lower()) {
        due.add(group);
      }
    }
  }

  private void flush() {
    traffic.values().forEach(SendCounters::flush);
  }

  TimerWheel wheel() {
    return wheel;
  }

  /** The subscriptions of a cache; they are opened with the first that joins. */
  CacheSubscribers join(WatchCache cache, SubscriptionTask stream) {
    CacheSubscribers joined = readers.get(cache);
    if (joined == null) {
      joined = new CacheSubscribers(cache, number, this, time, metrics);
      readers.put(cache, joined);
    }
    joined.join(stream);
    subscriptions++;
    if (round == null) {
      round = wheel.after(ROUND, this::round);
    }
    return joined;
  }

  void leave(CacheSubscribers left, SubscriptionTask stream) {
    if (left.leave(stream)) {
      readers.remove(left.cache());
      left.end();
    }
    subscriptions--;
    TimerWheel.Timer next = round;
    if (subscriptions == 0 && next != null) {
      next.cancel();
      round = null;
    }
  }

  /** Whoever does not read lets go of what others would have to keep alive. */
  private void round() {
    round = wheel.after(ROUND, this::round);
    ActiveConnections movement = new ActiveConnections();
    readers.values().forEach(some -> some.look(movement));
    for (CacheSubscribers some : new ArrayList<>(readers.values())) {
      some.round(movement);
    }
    flush();
  }
}
