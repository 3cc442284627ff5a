package io.watchgate.balance;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.TimeSource;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Simulation of replicas that start and stop under many streams, whose clients remember redirects.
 */
final class BalanceModelTest {
  private static final BalanceSettings.Pace PACE = BalanceSettings.Pace.DEFAULT;
  private static final int REPEATED = 10;

  /** Time for which a client avoids a replica that redirected or refused it. */
  private static final long AVOIDED = Duration.ofSeconds(10).toNanos();

  private final long seed = Long.getLong("seed", new Random().nextLong());
  private final Random random = new Random(seed);
  private final InMemoryLoadRegistry board = new InMemoryLoadRegistry();
  private final List<Replica> replicas = new ArrayList<>();
  private final List<Stream> streams = new ArrayList<>();
  private int names;
  private long now;

  /**
   * Replicas that the client avoids, each with the end of that time; a client may have several
   * streams.
   */
  private static final class Client {
    final Map<Replica, Long> avoided = new HashMap<>();
  }

  private static final class Stream {
    final Client client;
    int moves;
    long since;

    Stream(Client client) {
      this.client = client;
    }
  }

  private final class Replica implements Balancer.Streams {
    final String name = "replica-" + names++;

    /** The oldest first. */
    final Deque<Stream> held = new ArrayDeque<>();

    final Balancer balancer =
        new Balancer(
            board.of(name), name, this, new TimeSource(InstantSource.system(), () -> now), PACE);
    RedirectQuota quota = RedirectQuota.NONE;
    int refused;

    @Override
    public int count() {
      return held.size();
    }

    @Override
    public int shed(int count, Duration age, Duration within) {
      int gone = 0;
      while (gone < count && !held.isEmpty() && now - held.getFirst().since >= age.toNanos()) {
        move(held.removeFirst());
        gone++;
      }
      return gone;
    }

    @Override
    public void setRedirectQuota(RedirectQuota next) {
      quota = next;
      refused = 0;
    }

    boolean refuses() {
      return held.size() >= quota.threshold() && refused++ < quota.maxRefusals();
    }

    void move(Stream stream) {
      stream.moves++;
      stream.since = now;
      stream.client.avoided.put(this, now + AVOIDED);
      place(stream, this);
    }
  }

  /** Places a stream by the rules of {@code WatchClient}. */
  private void place(Stream stream, @Nullable Replica from) {
    while (true) {
      List<Replica> others = replicas.stream().filter(replica -> replica != from).toList();
      List<Replica> good = others.stream().filter(replica -> isGood(stream, replica)).toList();
      List<Replica> choice = good.isEmpty() ? others : good;
      Replica chosen = choice.get(random.nextInt(choice.size()));
      if (good.size() <= 1 || !chosen.refuses()) {
        chosen.held.addLast(stream);
        return;
      }
      stream.client.avoided.put(chosen, now + AVOIDED);
    }
  }

  private boolean isGood(Stream stream, Replica replica) {
    return stream.client.avoided.getOrDefault(replica, Long.MIN_VALUE) <= now;
  }

  private void begin(int count, int each, int streamsOfAClient) throws InterruptedException {
    replicas.clear();
    streams.clear();
    board.clear();
    for (int i = 0; i < count; i++) {
      replicas.add(new Replica());
    }
    Client client = new Client();
    for (int i = 0; i < count * each; i++) {
      client = i % streamsOfAClient == 0 ? new Client() : client;
      Stream stream = new Stream(client);
      streams.add(stream);
      replicas.get(i % count).held.addLast(stream);
    }
    rounds(8);
    streams.forEach(stream -> stream.since = now - PACE.minStreamAge().toNanos());
  }

  private void rounds(int count) throws InterruptedException {
    for (int i = 0; i < count; i++) {
      List<Replica> order = new ArrayList<>(replicas);
      Collections.shuffle(order, random);
      for (Replica replica : order) {
        now += PACE.interval().toNanos() / order.size();
        replica.balancer.runRound();
      }
    }
  }

  private void assertEven() {
    double mean = (double) streams.size() / replicas.size();
    assertThat(replicas)
        .as("seed %d", seed)
        .allSatisfy(
            replica -> assertThat((double) replica.held.size()).isBetween(0.8 * mean, 1.2 * mean));
  }

  /** The published lack of streams is soon out of date. */
  @ParameterizedTest(name = "{0} replicas and a new one")
  @CsvSource({"2", "3", "10"})
  void crowd_isNotRedirectedToOneReplica(int before) throws InterruptedException {
    begin(before, 100, 1);
    replicas.add(new Replica());
    rounds(3);

    for (int i = 0; i < 1_000 * replicas.size(); i++) {
      Stream stream = new Stream(new Client());
      stream.since = now;
      streams.add(stream);
      place(stream, null);
    }

    for (Replica replica : replicas) {
      assertThat(replica.held.size()).as("seed %d", seed).isBetween(850, 1_350);
    }
  }

  private int moves() {
    return streams.stream().mapToInt(stream -> stream.moves).sum();
  }

  @ParameterizedTest(name = "{0} and {1} more, {2} streams of a client")
  @CsvSource({
    "1, 1, 1", "2, 1, 1", "3, 1, 1", "3, 1, 3", "3, 3, 1", "3, 3, 3", "4, 1, 1", "5, 1, 1",
    "5, 1, 30", "8, 1, 1", "10, 1, 1", "10, 1, 3", "10, 3, 1", "12, 1, 1", "20, 1, 1", "20, 10, 3",
  })
  void newReplica_getsItsShareWithFewMoves(int before, int added, int streamsOfAClient)
      throws InterruptedException {
    for (int repeated = 0; repeated < REPEATED; repeated++) {
      begin(before, 200, streamsOfAClient);

      for (int i = 0; i < added; i++) {
        replicas.add(new Replica());
      }
      rounds(24);

      assertEven();
      assertThat(streams).as("seed %d", seed).allMatch(stream -> stream.moves <= 2);
      double needed = (double) streams.size() * added / replicas.size();
      assertThat((double) moves()).as("seed %d", seed).isLessThan(2.2 * needed);
    }
  }

  @ParameterizedTest(name = "{0} streams of a client")
  @CsvSource({"1", "3", "30"})
  void scalingUpAndDown_movesStreamsAtMostTwice(int streamsOfAClient) throws InterruptedException {
    for (int repeated = 0; repeated < REPEATED; repeated++) {
      begin(3, 1_000, streamsOfAClient);
      for (int i = 0; i < 3; i++) {
        replicas.add(new Replica());
      }
      rounds(24);
      assertEven();

      Collections.shuffle(replicas, random);
      List<Replica> drained = List.copyOf(replicas.subList(3, 6));
      replicas.removeAll(drained); // at once, as a Deployment does it: they admit no stream
      drained.forEach(replica -> replica.held.forEach(replica::move));
      rounds(24);

      assertEven();
      assertThat(streams).as("seed %d", seed).allMatch(stream -> stream.moves <= 2);
    }
  }

  @ParameterizedTest(name = "one of {0}")
  @CsvSource({"2", "3", "4", "6", "12"})
  void killedReplica_onlyItsStreamsMove(int count) throws InterruptedException {
    for (int repeated = 0; repeated < REPEATED; repeated++) {
      begin(count, 500, 1);
      Replica killed = replicas.get(random.nextInt(count));
      int held = killed.held.size();
      rounds(random.nextInt(3)); // it dies anywhere in its period
      replicas.remove(killed);
      killed.held.forEach(killed::move); // its entry stays in the registry
      rounds(12);

      assertThat(streams).as("seed %d", seed).allMatch(stream -> stream.moves <= 1);
      assertThat(moves()).as("seed %d", seed).isEqualTo(held);
    }
  }
}
