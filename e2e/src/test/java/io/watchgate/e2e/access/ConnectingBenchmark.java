package io.watchgate.e2e.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Channel;
import io.grpc.stub.StreamObserver;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.OwnApiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.Selection;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Benchmark of the cost of authentication and authorization: streams of three accounts that open at
 * once, and one after the other, alternately at a gateway that asks a real apiserver and at a
 * gateway without checks.
 *
 * <pre>
 * mvn -q test -pl e2e -am -Dwatchgate.excluded.tags= -Dwatchgate.test.jvm= -Dtest=ConnectingBenchmark -Dsurefire.failIfNoSpecifiedTests=false
 * </pre>
 */
@WithApiserver
@Tag("benchmark")
@Execution(ExecutionMode.SAME_THREAD) // alone, if only benchmarks run
class ConnectingBenchmark {
  private static final int STREAMS = Integer.getInteger("streams", 10_000);
  private static final int CONNECTIONS = 48;
  private static final int ONE_BY_ONE = 3_000;
  private static final int ROUNDS = 3;
  private static final String NAMESPACE = "connecting";

  private static final ListAndWatchRequest REQUEST =
      ListAndWatchRequest.newBuilder()
          .setSelection(
              Selection.newBuilder()
                  .setResourceType(ResourceType.newBuilder().setResource("configmaps"))
                  .addNamespaces(NAMESPACE))
          .build();

  @TempDir private Path folder;

  @Test
  void openingStreams_withAndWithoutReviews(@OwnApiserver Apiserver apiserver) throws Exception {
    GatewayAccount gatewayAccount =
        GatewayAccount.create(
            apiserver,
            folder,
            NAMESPACE,
            List.of(Type.CONFIGMAPS),
            GatewayAccount.REVIEWS_AND_ROLES);
    Accounts accounts = new Accounts(apiserver.cluster());
    List<String> tokens = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Accounts.Account account = accounts.create(NAMESPACE, "reader-" + i);
      new Rights(apiserver.cluster())
          .in(NAMESPACE, account.subject(), Rule.watching(Type.CONFIGMAPS.qualified()));
      tokens.add(accounts.gatewayToken(account));
    }
    for (int round = 0; round < ROUNDS; round++) {
      measure("asks no one", gatewayAccount, tokens);
      measure("asks", gatewayAccount, tokens, "--token-review", "--audit-log", "none");
    }
  }

  private static void measure(
      String name, GatewayAccount gatewayAccount, List<String> tokens, String... options)
      throws Exception {
    try (SecuredGateway secured = SecuredGateway.open(gatewayAccount, options)) {
      List<Channel> channels = new ArrayList<>();
      for (int i = 0; i < CONNECTIONS; i++) {
        channels.add(secured.apart(tokens.get(i % tokens.size())));
      }
      open(channels.subList(0, tokens.size()), tokens.size()); // the type is loaded
      long first = System.nanoTime();
      open(channels, STREAMS);
      Duration all = Duration.ofNanos(System.nanoTime() - first);
      open(channels, ONE_BY_ONE, 1);
      long second = System.nanoTime();
      open(channels, ONE_BY_ONE, 1);
      Duration each = Duration.ofNanos((System.nanoTime() - second) / ONE_BY_ONE);
      System.out.printf(
          Locale.ROOT,
          "%-12s %,d at once: all opened after %.2f s; one after the other %,d us each; asked: %.0f"
              + " tokens, %.0f rights%n",
          name,
          STREAMS,
          all.toMillis() / 1e3,
          each.toNanos() / 1_000,
          secured.metric("watchgate_token_reviews_total"),
          secured.metric("watchgate_access_reviews_total"));
    }
  }

  private static void open(List<Channel> channels, int streams) throws InterruptedException {
    open(channels, streams, streams);
  }

  /**
   * @param atOnce number of streams that are being opened at a time
   */
  private static void open(List<Channel> channels, int streams, int atOnce)
      throws InterruptedException {
    for (int from = 0; from < streams; from += atOnce) {
      CountDownLatch opened = new CountDownLatch(Math.min(atOnce, streams - from));
      for (int i = from; i < Math.min(streams, from + atOnce); i++) {
        WatchServiceGrpc.newStub(channels.get(i % channels.size()))
            .listAndWatch(REQUEST, new Opening(opened));
      }
      assertThat(opened.await(2, TimeUnit.MINUTES)).isTrue();
    }
  }

  private record Opening(CountDownLatch opened) implements StreamObserver<ListAndWatchResponse> {
    @Override
    public void onNext(ListAndWatchResponse response) {
      if (response.hasOpened()) {
        opened.countDown();
      }
    }

    @Override
    public void onError(Throwable ended) {}

    @Override
    public void onCompleted() {}
  }
}
