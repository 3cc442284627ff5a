package io.watchgate.cli;

import io.watchgate.balance.BalanceSettings;
import io.watchgate.balance.Balancer;
import io.watchgate.balance.RedirectQuota;
import io.watchgate.cache.TimeSource;
import io.watchgate.grpc.GatewayServer;
import io.watchgate.kube.ApiClient;
import io.watchgate.kube.ClientConfig;
import io.watchgate.kube.ConfigException;
import io.watchgate.kube.KubeSettings;
import io.watchgate.kube.ReplicaLeases;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Shares a gateway's streams with other replicas, by Leases. Thread-safe. */
final class BalancerLifecycle implements AutoCloseable {
  /** What is said is good for so many rounds; two may fail. */
  private static final int ROUNDS_A_LEASE = 3;

  /** Others wait for the next word anyway. */
  private static final Duration LEASE_TIMEOUT = Duration.ofSeconds(5);

  /** Those whom it could not be said to notice by themselves. */
  private static final Duration LAST_WORD = Duration.ofSeconds(2);

  private final BalanceSettings settings;
  private final ApiClient api;
  private volatile @Nullable Started started;
  private volatile @Nullable Thread leaving;

  private record Started(ReplicaLeases board, Balancer balancer) {}

  /**
   * Asks the apiserver nothing yet.
   *
   * @throws ConfigException if its TLS cannot be set up
   */
  BalancerLifecycle(BalanceSettings settings, ClientConfig access, KubeSettings kube)
      throws ConfigException {
    this.settings = settings;
    this.api = ApiClient.of(access, kube.withRequestTimeout(LEASE_TIMEOUT));
  }

  /**
   * Begins.
   *
   * @param serverId this replica's name
   * @param ready others count it once it is: before that clients do not find it
   */
  void start(String serverId, GatewayServer server, BooleanSupplier ready) {
    ReplicaLeases board =
        new ReplicaLeases(
            api,
            settings.namespace(),
            settings.group(),
            serverId,
            settings.pace().every().multipliedBy(ROUNDS_A_LEASE));
    Balancer balancer =
        new Balancer(board, serverId, streams(server, ready), TimeSource.SYSTEM, settings.pace());
    balancer.start();
    started = new Started(board, balancer);
  }

  private static Balancer.Streams streams(GatewayServer server, BooleanSupplier ready) {
    return new Balancer.Streams() {
      @Override
      public int count() {
        return ready.getAsBoolean() ? server.streams() : -1;
      }

      @Override
      public int shed(int count, Duration age, Duration within) throws InterruptedException {
        return server.shed(count, age, within);
      }

      @Override
      public void lead(RedirectQuota lead) {
        server.refuse(lead.most(), lead.beyond());
      }
    };
  }

  /** How many replicas are there, as far as this one knows. */
  int replicas() {
    Started running = started;
    return running == null ? 1 : running.balancer().replicas();
  }

  /**
   * Begins to tell the others that this one goes: streams that come to them soon are not too many
   * for a mean that counts it no more. Does not wait.
   */
  void leave() {
    Started running = started;
    if (running != null) {
      leaving =
          Thread.ofVirtual()
              .name("last-word")
              .start(
                  () -> {
                    running.balancer().close();
                    running.board().withdraw();
                  });
    }
  }

  /** Waits for the last word, but not for an apiserver that does not answer. */
  @Override
  public void close() {
    Thread last = leaving;
    try {
      if (last != null) {
        last.join(LAST_WORD);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      api.close();
    }
  }
}
