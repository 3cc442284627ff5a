package io.watchgate.balance;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.TimeSource;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;

/** Replicas that come and go under many streams, which go wherever they like. */
final class BalanceModelTest {
  private static final Duration EVERY = Duration.ofSeconds(10);

  /** How long clients avoid a replica that sent them away; some clients know no such thing. */
  private static final long AVOIDED = Duration.ofSeconds(10).toNanos();

  private final long seed = Long.getLong("seed", new Random().nextLong());
  private final Random random = new Random(seed);
  private final MemoryBoard board = new MemoryBoard();
  private final List<Replica> replicas = new ArrayList<>();
  private int names;
  private long now;

  private static final class Stream {
    int moves;
  }

  private final class Replica implements Balancer.Streams {
    final String name = "replica-" + names++;

    /** The oldest first. */
    final Deque<Stream> streams = new ArrayDeque<>();

    final Balancer balancer =
        new Balancer(
            board.of(name), name, this, new TimeSource(InstantSource.system(), () -> now), EVERY);
    long shedAt = Long.MIN_VALUE / 2;

    @Override
    public int count() {
      return streams.size();
    }

    @Override
    public int shed(int count) {
      shedAt = now;
      for (int i = 0; i < count; i++) {
        move(streams.removeFirst());
      }
      return count;
    }

    void move(Stream stream) {
      stream.moves++;
      place(stream, this);
    }
  }

  private void place(Stream stream, Replica from) {
    List<Replica> others = replicas.stream().filter(replica -> replica != from).toList();
    List<Replica> good = others.stream().filter(replica -> now - replica.shedAt > AVOIDED).toList();
    List<Replica> choice = good.isEmpty() || random.nextInt(10) == 0 ? others : good;
    choice.get(random.nextInt(choice.size())).streams.addLast(stream);
  }

  private void rounds(int count) throws InterruptedException {
    for (int i = 0; i < count; i++) {
      List<Replica> order = new ArrayList<>(replicas);
      Collections.shuffle(order, random);
      for (Replica replica : order) {
        now += EVERY.toNanos() / order.size();
        replica.balancer.round();
      }
    }
  }

  private void assertEven(int streams) {
    double mean = (double) streams / replicas.size();
    assertThat(replicas)
        .as("seed %d", seed)
        .allSatisfy(
            replica ->
                assertThat((double) replica.streams.size()).isBetween(0.8 * mean, 1.2 * mean));
  }

  private void assertNobodyMovedOften(List<Stream> streams) {
    assertThat(streams).as("seed %d", seed).allMatch(stream -> stream.moves <= 2);
  }

  @RepeatedTest(20)
  void afterOneWasKilledNobodyMovesButThoseThatItHad() throws InterruptedException {
    List<Stream> streams = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      replicas.add(new Replica());
      for (int j = 0; j < 500; j++) {
        Stream stream = new Stream();
        streams.add(stream);
        replicas.get(i).streams.addLast(stream);
      }
    }
    rounds(5);

    Replica killed = replicas.remove(random.nextInt(replicas.size()));
    killed.streams.forEach(killed::move); // what it said stays on the board
    rounds(10);

    assertEven(streams.size());
    assertThat(streams).as("seed %d", seed).allMatch(stream -> stream.moves <= 1);
    assertThat(streams).filteredOn(stream -> stream.moves == 1).hasSize(500);
  }

  @RepeatedTest(50)
  void threeBecomeSixAndThreeAgainAndNobodyMovesMoreThanTwice() throws InterruptedException {
    List<Stream> streams = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      replicas.add(new Replica());
    }
    for (int i = 0; i < 3_000; i++) {
      Stream stream = new Stream();
      streams.add(stream);
      replicas.get(i % 3).streams.addLast(stream);
    }
    rounds(5);
    assertThat(streams).allMatch(stream -> stream.moves == 0);

    for (int i = 0; i < 3; i++) {
      replicas.add(new Replica());
    }
    rounds(12);
    assertEven(streams.size());
    assertNobodyMovedOften(streams);

    Collections.shuffle(replicas, random);
    List<Replica> drained = List.copyOf(replicas.subList(3, 6));
    replicas.removeAll(drained); // at once, as a Deployment does it: they admit nobody
    drained.forEach(replica -> replica.streams.forEach(replica::move));
    rounds(12);
    assertEven(streams.size());
    assertNobodyMovedOften(streams);
  }
}
