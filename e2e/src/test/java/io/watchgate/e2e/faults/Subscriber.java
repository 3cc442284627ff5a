package io.watchgate.e2e.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.grpc.Channel;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Stream through generated stubs, with its results. */
public final class Subscriber
    implements ClientResponseObserver<ListAndWatchRequest, ListAndWatchResponse>, AutoCloseable {
  /**
   * Maximum time for something that must happen. It is longer than 30 s, a gateway's longest wait
   * before it connects again to an apiserver that was away for long.
   */
  public static final Duration LIMIT = Duration.ofMinutes(3);

  private final ListAndWatchRequest request;
  private final ClientState fold;
  private final Demand demand;
  private final List<ListAndWatchResponse> responses = new CopyOnWriteArrayList<>();
  private final CompletableFuture<ReceivedError> end = new CompletableFuture<>();
  private final CompletableFuture<ClientCallStreamObserver<ListAndWatchRequest>> call =
      new CompletableFuture<>();
  private volatile ByteString token;

  /** Source of the demand for responses. */
  private enum Demand {
    ALWAYS,
    BY_HAND
  }

  private Subscriber(ListAndWatchRequest request, ClientState fold, Demand demand) {
    this.request = request;
    this.fold = fold;
    this.demand = demand;
    this.token = request.getResumeToken();
  }

  /** Opens a stream that reads everything. */
  public static Subscriber open(Channel channel, ListAndWatchRequest request) {
    return new Subscriber(request, new ClientState(), Demand.ALWAYS).start(channel);
  }

  /** Opens a stream that reads only as much as {@link #read} requests. */
  public static Subscriber unhurried(Channel channel, ListAndWatchRequest request) {
    return new Subscriber(request, new ClientState(), Demand.BY_HAND).start(channel);
  }

  /** Opens another stream that resumes from the last token with this stream's state. */
  public Subscriber resume(Channel channel) {
    fold.begin();
    ListAndWatchRequest next = request.toBuilder().setResumeToken(token).build();
    return new Subscriber(next, fold, Demand.ALWAYS).start(channel);
  }

  private Subscriber start(Channel channel) {
    WatchServiceGrpc.newStub(channel).listAndWatch(request, this);
    return this;
  }

  @Override
  public void beforeStart(ClientCallStreamObserver<ListAndWatchRequest> stream) {
    if (demand == Demand.BY_HAND) {
      stream.disableAutoRequestWithInitial(0);
    }
    call.complete(stream);
  }

  @Override
  public void onNext(ListAndWatchResponse response) {
    fold.take(response);
    responses.add(response);
    if (!response.getResumeToken().isEmpty()) {
      token = response.getResumeToken();
    }
  }

  @Override
  public void onError(Throwable error) {
    try {
      end.complete(ReceivedError.of(error));
    } catch (AssertionError e) {
      end.completeExceptionally(e);
    }
  }

  @Override
  public void onCompleted() {
    end.completeExceptionally(new AssertionError("a server never ends a stream with OK"));
  }

  /** Requests {@code more} further responses. */
  public void read(int more) {
    call.join().request(more);
  }

  public ClientState fold() {
    return fold;
  }

  /** Returns the last token. */
  public ByteString token() {
    return token;
  }

  public List<ListAndWatchResponse> responses() {
    return responses;
  }

  /** Waits for the end of the stream. */
  public ReceivedError end() {
    try {
      return end.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new AssertionError("signals: " + fold.signals() + ", " + e, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  public boolean isOver() {
    return end.isDone();
  }

  /** Returns whether the first snapshot, or the sign that there is none, has come. */
  public boolean isSynced() {
    return fold.signals().contains("SYNCED") || fold.signals().contains("RESUMED");
  }

  private void assertStillOpen() {
    assertThat(end.isDone() ? end() : null).as("how it ended").isNull();
  }

  /** Waits for the end of the first snapshot, or for the sign that there is none. */
  public Subscriber begun() {
    await().atMost(LIMIT).until(() -> end.isDone() || isSynced());
    assertStillOpen();
    return this;
  }

  /** Waits until the state equals the apiserver's list, without a violation of the rules. */
  void awaitStateOf(Cluster cluster, Resource type, String namespace) {
    await()
        .atMost(LIMIT)
        .pollInterval(Duration.ofMillis(50))
        .untilAsserted(
            () -> {
              assertStillOpen();
              assertThat(fold.state())
                  .isEqualTo(ListedState.of(cluster, type, namespace, Map.of()));
            });
    assertThat(fold.violations()).isEmpty();
  }

  /** Cancels the stream. */
  @Override
  public void close() {
    call.join().cancel("the test is over", null);
  }
}
