package io.watchgate.server;

import io.watchgate.balance.BalanceSettings;
import io.watchgate.balance.Balancer;
import io.watchgate.balance.RedirectQuota;
import io.watchgate.cache.TimeSource;
import io.watchgate.grpc.GatewayServer;
import io.watchgate.kube.ClientConfig;
import io.watchgate.kube.ConfigException;
import io.watchgate.kube.KubeSettings;
import io.watchgate.kube.RawApiClient;
import io.watchgate.kube.ReplicaLeases;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Lifecycle of the balancer, which shares a gateway's streams with other replicas through Leases.
 * Thread-safe.
 */
final class BalancerLifecycle implements AutoCloseable {
  private final BalanceSettings settings;
  private final RawApiClient api;
  private volatile @Nullable Started started;
  private volatile @Nullable Thread withdrawal;

  private record Started(ReplicaLeases leases, Balancer balancer) {}

  /**
   * Sends no request yet.
   *
   * @throws ConfigException if the apiserver's TLS cannot be set up
   */
  BalancerLifecycle(BalanceSettings settings, ClientConfig access, KubeSettings kube)
      throws ConfigException {
    this.settings = settings;
    this.api = RawApiClient.of(access, kube.withRequestTimeout(BalanceSettings.LEASE_TIMEOUT));
  }

  /**
   * Starts balancing.
   *
   * @param serverId this replica's name
   * @param watches number of open watches over the Kubernetes API, which count as streams; their
   *     clients cannot be sent to another replica
   * @param ready whether clients can find this replica; other replicas count it only then
   */
  void start(String serverId, GatewayServer server, IntSupplier watches, BooleanSupplier ready) {
    ReplicaLeases leaseClient =
        new ReplicaLeases(
            api,
            settings.namespace(),
            settings.group(),
            serverId,
            settings.pace().interval().multipliedBy(BalanceSettings.INTERVALS_PER_LEASE));
    Balancer balancer =
        new Balancer(
            leaseClient,
            serverId,
            withWatches(streams(server), watches, ready),
            TimeSource.SYSTEM,
            settings.pace());
    balancer.start();
    started = new Started(leaseClient, balancer);
  }

  private static Balancer.Streams streams(GatewayServer server) {
    return new Balancer.Streams() {
      @Override
      public int count() {
        return server.streams();
      }

      @Override
      public int shed(int count, Duration age, Duration within) throws InterruptedException {
        return server.shed(count, age, within);
      }

      @Override
      public void setRedirectQuota(RedirectQuota quota) {
        server.refuseNewStreams(quota.maxRefusals(), quota.threshold());
      }
    };
  }

  /** Returns the streams of gRPC; their count includes the watches over the Kubernetes API. */
  static Balancer.Streams withWatches(
      Balancer.Streams streams, IntSupplier watches, BooleanSupplier ready) {
    return new Balancer.Streams() {
      @Override
      public int count() {
        return ready.getAsBoolean() ? streams.count() + watches.getAsInt() : -1;
      }

      @Override
      public int shed(int count, Duration age, Duration within) throws InterruptedException {
        return streams.shed(count, age, within);
      }

      @Override
      public void setRedirectQuota(RedirectQuota quota) {
        streams.setRedirectQuota(
            new RedirectQuota(quota.threshold() - watches.getAsInt(), quota.maxRefusals()));
      }
    };
  }

  /** Returns the number of replicas that this one knows, at least 1. */
  int replicas() {
    Started running = started;
    return running == null ? 1 : running.balancer().replicas();
  }

  /**
   * Starts to withdraw this replica's Lease, without waiting. Other replicas then leave this one
   * out of the mean, so that the streams they receive from it do not count as too many.
   */
  void startWithdrawal() {
    Started running = started;
    if (running != null) {
      withdrawal =
          Thread.ofVirtual()
              .name("lease-withdrawal")
              .start(
                  () -> {
                    running.balancer().close();
                    running.leases().withdraw();
                  });
    }
  }

  /** Waits at most 2 s for the withdrawal, in case the apiserver does not answer. */
  @Override
  public void close() {
    Thread last = withdrawal;
    try {
      if (last != null) {
        last.join(BalanceSettings.WITHDRAWAL_TIMEOUT);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      api.close();
    }
  }
}
