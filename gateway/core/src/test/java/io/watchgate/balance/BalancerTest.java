package io.watchgate.balance;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.TimeSource;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of the conditions under which streams are sent away. */
final class BalancerTest {
  private static final Duration EVERY = BalanceSettings.Pace.DEFAULT.interval();

  private final InMemoryLoadRegistry board = new InMemoryLoadRegistry();
  private final List<Replica> replicas = new ArrayList<>();
  private long now;

  /** Replica that sheds as many streams as requested; the test decides where these go. */
  private final class Replica implements Balancer.Streams {
    final Balancer balancer;
    final List<Integer> shed = new ArrayList<>();
    int count;
    boolean comesBack;
    RedirectQuota quota = RedirectQuota.NONE;

    Replica(String name, int count) {
      this.count = count;
      this.balancer =
          new Balancer(
              board.of(name),
              name,
              this,
              new TimeSource(InstantSource.system(), () -> now),
              BalanceSettings.Pace.DEFAULT);
      replicas.add(this);
    }

    @Override
    public int count() {
      return count;
    }

    @Override
    public int shed(int surplus, Duration age, Duration within) {
      shed.add(surplus);
      count -= comesBack ? 0 : surplus;
      return surplus;
    }

    @Override
    public void setRedirectQuota(RedirectQuota next) {
      quota = next;
    }
  }

  private void rounds(int times) throws InterruptedException {
    for (int i = 0; i < times; i++) {
      for (Replica replica : replicas) {
        replica.balancer.runRound();
      }
      now += EVERY.toNanos();
    }
  }

  @Test
  void surplus_isShedByHalves() throws InterruptedException {
    Replica full = new Replica("a", 100);
    Replica other = new Replica("b", 20);

    rounds(3);

    assertThat(full.shed).first().isEqualTo(20);
    assertThat(other.shed).isEmpty();
    assertThat(full.balancer.replicas()).isEqualTo(2);
  }

  @Test
  void singleReplica_shedsNothing() throws InterruptedException {
    Replica alone = new Replica("a", 100);

    rounds(5);

    assertThat(alone.shed).isEmpty();
    assertThat(alone.balancer.replicas()).isEqualTo(1);
  }

  @Test
  void firstEntry_countsOnlyAfterAnUpdate() throws InterruptedException {
    Replica died = new Replica("dead", 0);
    rounds(1);
    replicas.remove(died);
    Replica full = new Replica("a", 100);

    rounds(5);

    assertThat(full.shed).isEmpty();
  }

  @Test
  void silentReplica_isIgnoredAndRemoved() throws InterruptedException {
    Replica full = new Replica("a", 20);
    Replica empty = new Replica("b", 20);
    rounds(3);
    assertThat(full.balancer.replicas()).isEqualTo(2);

    replicas.remove(empty);
    rounds(3);
    full.count = 1_000;
    rounds(3);
    assertThat(full.shed).isEmpty();
    assertThat(full.balancer.replicas()).isEqualTo(1);
    assertThat(board.replicas()).contains("b");

    rounds(60);
    assertThat(board.replicas()).containsExactly("a");
  }

  @Test
  void failedRemoval_doesNotStopBalancing() throws InterruptedException {
    board.forbidsRemoval = true;
    Replica full = new Replica("a", 20);
    Replica other = new Replica("b", 20);
    Replica gone = new Replica("c", 20);
    rounds(3);
    replicas.remove(gone);
    rounds(70);

    full.count = 1_000;
    rounds(4);

    assertThat(full.shed).isNotEmpty();
    assertThat(other.shed).isEmpty();
  }

  @Test
  void whileAnotherLacksStreams_clientsAreRedirected() throws InterruptedException {
    Replica full = new Replica("a", 100);
    Replica other = new Replica("b", 20);
    rounds(3);
    assertThat(full.quota).isEqualTo(new RedirectQuota(60, 40));
    assertThat(other.quota).isEqualTo(RedirectQuota.NONE);

    other.count = 60;
    rounds(3);
    assertThat(full.quota).isEqualTo(RedirectQuota.NONE);
  }

  @Test
  void nextShedding_waitsForNewCounts() throws InterruptedException {
    Replica full = new Replica("a", 100);
    Replica silent = new Replica("b", 20);
    rounds(2);
    full.balancer.runRound();
    int times = full.shed.size();
    assertThat(times).isEqualTo(1);

    full.count = 100;
    full.balancer.runRound();
    full.balancer.runRound();
    assertThat(full.shed).hasSize(1);

    now++;
    silent.balancer.runRound();
    full.balancer.runRound();
    full.balancer.runRound();
    assertThat(full.shed).hasSize(2);
  }

  @Test
  void vainShedding_isRetriedLessOften() throws InterruptedException {
    Replica full = new Replica("a", 100);
    full.comesBack = true;
    Replica other = new Replica("b", 20);

    rounds(1_000);

    assertThat(full.shed).hasSizeBetween(10, 25).containsOnly(20);
    assertThat(other.shed).isEmpty();
  }

  @Test
  void unavailableRegistry_stopsBalancing() throws InterruptedException {
    Replica full = new Replica("a", 20);
    Replica other = new Replica("b", 20);
    rounds(3);

    board.away = true;
    full.count = 1_000;
    rounds(10);
    assertThat(full.shed).isEmpty();
    assertThat(full.balancer.replicas()).isEqualTo(1);

    board.away = false;
    rounds(4);
    assertThat(full.shed).isNotEmpty();
    assertThat(other.shed).isEmpty();
  }

  @Test
  void startingReplica_publishesNothing() throws InterruptedException {
    Replica starting = new Replica("a", -1);

    rounds(3);
    assertThat(board.replicas()).isEmpty();

    starting.count = 0;
    rounds(1);
    assertThat(board.replicas()).containsExactly("a");
  }
}
