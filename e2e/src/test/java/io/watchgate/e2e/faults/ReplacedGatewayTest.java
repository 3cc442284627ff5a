package io.watchgate.e2e.faults;

import static io.watchgate.e2e.faults.Requests.watch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.GatewayUnderTest;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.proxy.FaultProxy;
import io.watchgate.proto.v1.Delivery;
import io.watchgate.proto.v1.FromNow;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests of gateways that replace each other while streams open, are cancelled and are drained, with
 * tokens of any age.
 */
@WithSharedApiserver
final class ReplacedGatewayTest {
  private static final int READERS = 60;
  private static final int CONNECTIONS = 4;
  private static final List<String> TYPES = List.of("configmaps", "pods", "leases");
  private static final Duration DRAIN = Duration.ofMillis(300);
  private static final Duration TURN = Duration.ofMillis(10);

  /** Percentage of iterations in which a reader opens another stream. */
  private static final int MOVES_OF_100 = 1;

  private final long seed = Long.getLong("seed", new Random().nextLong());
  private final Random random = new Random(seed);

  @Test
  void everyStreamHasAPosition_afterEachReplacement(Apiserver apiserver) throws Exception {
    replace(apiserver, 5);
  }

  @Test
  @Tag("thorough")
  @Timeout(value = 2, unit = TimeUnit.HOURS)
  void everyStreamHasAPosition_after500Replacements(Apiserver apiserver) throws Exception {
    replace(apiserver, 500);
  }

  private void replace(Apiserver apiserver, int times) throws Exception {
    System.out.println("Replacements with seed " + seed);
    ConfigMaps maps = ConfigMaps.in(apiserver.cluster(), "replaced");
    maps.create("a", 0);
    GatewayUnderTest gateway = start(apiserver);
    List<ManagedChannel> channels = new ArrayList<>();
    try (FaultProxy front = new FaultProxy(address(gateway))) {
      for (int i = 0; i < CONNECTIONS; i++) {
        channels.add(
            NettyChannelBuilder.forAddress("127.0.0.1", front.port())
                .usePlaintext()
                .disableRetry()
                .build());
      }
      List<Reader> readers =
          IntStream.range(0, READERS)
              .mapToObj(i -> new Reader(i, channels.get(i % CONNECTIONS)))
              .toList();
      readers.forEach(Reader::open);
      for (int time = 1; time <= times; time++) {
        GatewayUnderTest old = gateway;
        gateway = start(apiserver);
        front.setTarget(address(gateway));
        Thread draining = Thread.ofVirtual().start(old::close);
        while (draining.isAlive()) {
          maps.set("a", time);
          turn(readers);
          draining.join(TURN);
        }
        channels.forEach(ManagedChannel::resetConnectBackoff);
        awaitPositions(readers, "seed " + seed + ", replacement " + time);
      }
    } finally {
      channels.forEach(ManagedChannel::shutdownNow);
      gateway.close();
    }
  }

  private void turn(List<Reader> readers) {
    for (Reader reader : readers) {
      if (reader.hasEnded() || random.nextInt(100) < MOVES_OF_100) {
        reader.open();
      }
    }
  }

  /** Waits until each reader has a stream that sent a position after the old gateway had ended. */
  private static void awaitPositions(List<Reader> readers, String what) {
    long since = System.nanoTime();
    await(what)
        .atMost(Subscriber.LIMIT)
        .pollInterval(TURN)
        .untilAsserted(
            () -> {
              readers.stream().filter(Reader::hasEnded).forEach(Reader::open);
              assertThat(readers).allMatch(reader -> reader.hasPositionSince(since));
            });
  }

  private static GatewayUnderTest start(Apiserver apiserver) throws Exception {
    GatewayUnderTest gateway =
        GatewayUnderTest.make(apiserver.kubeconfig(), GatewaySetup.QUICK, DRAIN);
    gateway.start();
    return gateway;
  }

  private static URI address(GatewayUnderTest gateway) {
    return URI.create("http://127.0.0.1:" + gateway.port());
  }

  /** Client that opens one stream after the other. */
  private final class Reader {
    private final int number;
    private final Channel channel;
    private final List<ByteString> tokens = new ArrayList<>();
    private @Nullable Stream current;

    Reader(int number, Channel channel) {
      this.number = number;
      this.channel = channel;
    }

    /** Closes the open stream, and opens one from an old token, a new one or none. */
    void open() {
      Stream last = current;
      if (last != null) {
        last.cancel();
        tokens.addAll(last.tokens());
      }
      ListAndWatchRequest.Builder request =
          watch(TYPES.get(number % TYPES.size()))
              .setDelivery(
                  Delivery.newBuilder()
                      .setBookmarkInterval(
                          com.google.protobuf.Duration.newBuilder().setSeconds(1)));
      if (number % 2 == 0) {
        request.getSelectionBuilder().setLabelSelector("app=web");
      }
      int choice = random.nextInt(10);
      if (choice == 0) {
        request.setFromNow(FromNow.getDefaultInstance());
      } else if (choice < 4 && !tokens.isEmpty()) {
        request.setResumeToken(tokens.get(random.nextInt(tokens.size())));
      } else if (choice < 9 && !tokens.isEmpty()) {
        request.setResumeToken(tokens.getLast());
      }
      Stream next = new Stream();
      current = next;
      WatchServiceGrpc.newStub(channel).listAndWatch(request.build(), next);
    }

    boolean hasEnded() {
      return current != null && current.hasEnded();
    }

    boolean hasPositionSince(long nanos) {
      return current != null && current.hasPositionSince(nanos);
    }

    @Override
    public String toString() {
      return "reader " + number + " of " + TYPES.get(number % TYPES.size()) + ": " + current;
    }
  }

  /** Record of one stream. */
  private static final class Stream
      implements ClientResponseObserver<ListAndWatchRequest, ListAndWatchResponse> {
    private final List<ByteString> tokens = new ArrayList<>();
    private final StringBuilder signals = new StringBuilder();
    private @Nullable ClientCallStreamObserver<ListAndWatchRequest> call;
    private @Nullable Status end;
    private long lastPosition;

    @Override
    public synchronized void beforeStart(ClientCallStreamObserver<ListAndWatchRequest> stream) {
      call = stream;
    }

    @Override
    public synchronized void onNext(ListAndWatchResponse response) {
      signals.append(' ').append(response.getSignalCase());
      if (!response.getResumeToken().isEmpty()) {
        lastPosition = System.nanoTime();
        tokens.add(response.getResumeToken());
      }
    }

    @Override
    public synchronized void onError(Throwable error) {
      end = Status.fromThrowable(error);
    }

    @Override
    public synchronized void onCompleted() {
      end = Status.OK;
    }

    synchronized void cancel() {
      if (call != null && end == null) {
        call.cancel("the reader opens another stream", null);
      }
    }

    synchronized boolean hasEnded() {
      return end != null;
    }

    synchronized List<ByteString> tokens() {
      return List.copyOf(tokens);
    }

    synchronized boolean hasPositionSince(long nanos) {
      return end == null && !tokens.isEmpty() && lastPosition - nanos > 0;
    }

    @Override
    public synchronized String toString() {
      return tokens.size() + " positions," + signals + (end == null ? "" : ", ended with " + end);
    }
  }
}
