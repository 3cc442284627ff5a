package io.watchgate.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.watchgate.proto.v1.GoingAway;
import io.watchgate.proto.v1.GoingAwayReason;
import io.watchgate.proto.v1.ListAndWatchRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests with two replicas on real connections. */
class FailoverTest {
  private static final ListAndWatchRequest ALL = ListAndWatchRequest.getDefaultInstance();

  private final ScriptedGateway first = new ScriptedGateway();
  private final ScriptedGateway second = new ScriptedGateway();
  private final ManualTimers timers = new ManualTimers();
  private final RecordingListener listener = new RecordingListener();
  private Server firstServer;
  private Server secondServer;
  private WatchClient client;

  private static Server serve(ScriptedGateway gateway) throws IOException {
    return Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create())
        .addService(gateway)
        .build()
        .start();
  }

  @BeforeEach
  void connect() throws IOException {
    firstServer = serve(first);
    secondServer = serve(second);
    client =
        WatchClient.to("127.0.0.1", firstServer.getPort())
            .and("127.0.0.1", secondServer.getPort())
            .timers(timers)
            .build();
  }

  @AfterEach
  void close() {
    client.close();
    firstServer.shutdownNow();
    secondServer.shutdownNow();
  }

  /** Returns the replica that received the next stream. */
  private ScriptedGateway whoIsAsked() {
    await().until(() -> !(first.nothingWaits() && second.nothingWaits()));
    return first.nothingWaits() ? second : first;
  }

  private ScriptedGateway other(ScriptedGateway one) {
    return one == first ? second : first;
  }

  @Test
  void deadReplica_watchResumesAtOther() throws Exception {
    client.watch(ALL, listener);
    ScriptedGateway asked = whoIsAsked();
    asked.next().snapshot(10, "a");
    listener.until(WatchUpdate.SnapshotComplete.class);

    (asked == first ? firstServer : secondServer).shutdownNow();
    assertThat(listener.next(WatchUpdate.Interrupted.class).delay())
        .isLessThanOrEqualTo(Backoff.BASE);
    timers.runNext();

    ScriptedGateway.Stream next = other(asked).next();
    assertThat(next.request().getResumeToken().toStringUtf8()).isEqualTo("token-10");
    next.resumed(10);
    assertThat(listener.next(WatchUpdate.Reconnected.class).attempts()).isEqualTo(1);
  }

  @Test
  void goingAway_movesToOtherReplica() {
    client.watch(ALL, listener);
    ScriptedGateway asked = whoIsAsked();
    asked
        .next()
        .snapshot(10, "a")
        .send(
            ScriptedGateway.at(10)
                .setGoingAway(
                    GoingAway.newBuilder()
                        .setReason(GoingAwayReason.GOING_AWAY_REASON_REBALANCING)));
    listener.until(WatchUpdate.Interrupted.class);
    timers.runNext();

    other(asked).next().resumed(10);
    assertThat(listener.next(WatchUpdate.Reconnected.class).attempts()).isEqualTo(1);
    assertThat(asked.nothingWaits()).isTrue();
  }

  /** Only a client with another replica may be refused for the number of streams. */
  @Test
  void replicasFeature_isSentUntilOtherRefusesToo() {
    client.watch(ALL, listener);
    ScriptedGateway asked = whoIsAsked();
    ScriptedGateway.Stream first = asked.next();
    assertThat(first.request().getFeaturesList()).containsExactly("replicas");
    first.fail(Status.Code.UNAVAILABLE, "REBALANCING", "RESUME", Duration.ofMillis(100));
    assertThat(listener.next(WatchUpdate.Interrupted.class).delay())
        .isLessThanOrEqualTo(Duration.ofMillis(100));
    timers.runNext();

    ScriptedGateway.Stream second = other(asked).next();
    assertThat(second.request().getFeaturesList()).isEmpty();
    second.snapshot(10, "a");
    listener.until(WatchUpdate.SnapshotComplete.class);
  }

  /** The requested wait applies only to the replica that sent it. */
  @Test
  void laggingReplica_isLeftWithoutItsWait() {
    client.watch(ALL, listener);
    ScriptedGateway asked = whoIsAsked();
    asked.next().fail(Status.Code.UNAVAILABLE, "BEHIND", "RESUME", Duration.ofSeconds(20));

    assertThat(listener.next(WatchUpdate.Interrupted.class).delay())
        .isLessThanOrEqualTo(Backoff.BASE);
    timers.runNext();
    other(asked).next().snapshot(10, "a");
    listener.until(WatchUpdate.SnapshotComplete.class);
  }

  /**
   * All addresses of a name are replicas. This machine's name has two addresses, of which one
   * serves.
   */
  @Test
  void allAddresses_areTriedUntilOneServes() throws Exception {
    ScriptedGateway only = new ScriptedGateway();
    Server server =
        NettyServerBuilder.forAddress(
                new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0))
            .addService(only)
            .build()
            .start();
    try (WatchClient each = WatchClient.toEach("localhost", server.getPort()).build()) {
      each.watch(ALL, listener);
      only.next().snapshot(10, "a");
      listener.until(WatchUpdate.SnapshotComplete.class);
    } finally {
      server.shutdownNow();
    }
  }

  @Test
  void unresolvableName_isRetried() {
    try (WatchClient nowhere =
        WatchClient.toEach("no-such-name.invalid", 7443).timers(timers).build()) {
      nowhere.watch(ALL, listener);
      for (int attempt = 1; attempt <= 3; attempt++) {
        WatchUpdate.Interrupted interrupted = listener.next(WatchUpdate.Interrupted.class);
        assertThat(interrupted.attempt()).isEqualTo(attempt);
        assertThat(((Interruption.Failed) interrupted.cause()).error().message())
            .contains("cannot be looked up", "no-such-name.invalid");
        timers.runNext();
      }
    }
  }
}
