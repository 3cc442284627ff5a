package io.watchgate.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.grpc.StatusRuntimeException;
import io.watchgate.cache.SampleObject;
import io.watchgate.client.WatchError;
import io.watchgate.fanout.FanoutSettings;
import io.watchgate.proto.v1.ListObjectsRequest;
import io.watchgate.proto.v1.ListObjectsResponse;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of lists whose pages come from two replicas, as behind a load balancer. */
final class PagesOfReplicasTest {
  private static final ListObjectsRequest FIRST =
      ListObjectsRequest.newBuilder()
          .setSelection(ServerFixture.CONFIG_MAPS.getSelection())
          .setPageSize(1)
          .build();

  private static final SampleObject CHANGED = SampleObject.of("ns", "two", 101);

  private final LiveCluster clusterOfOther = cluster("100");
  private final ServerFixture one = ServerFixture.of(cluster("100"), ServerFixture.PATIENT);

  @AfterEach
  void close() {
    one.close();
  }

  private static LiveCluster cluster(String version) {
    return new LiveCluster(
        version, List.of(SampleObject.of("ns", "one", 50), SampleObject.of("ns", "two", 51)));
  }

  private static ListObjectsResponse list(ServerFixture at, ByteString pageToken) {
    return WatchServiceGrpc.newBlockingStub(at.connect())
        .listObjects(FIRST.toBuilder().setPageToken(pageToken).build());
  }

  private static String name(ListObjectsResponse page) {
    assertThat(page.getObjectsList()).hasSize(1);
    return page.getObjects(0).getKey().getName();
  }

  private static void keepTypeOpen(ServerFixture at) throws InterruptedException {
    RawStream stream = RawStream.open(at.connect(), ServerFixture.CONFIG_MAPS);
    await().until(stream::isSynced);
  }

  /** Returns the token after the first page of a list that begins with {@link #CHANGED}. */
  private ByteString tokenAfterChange() throws InterruptedException {
    keepTypeOpen(one);
    one.cluster.put(CHANGED);
    await().until(() -> list(one, ByteString.EMPTY).getResourceVersion().equals("101"));
    return list(one, ByteString.EMPTY).getNextPageToken();
  }

  @Test
  void pageOfReplicaThatListedTheSameStateEarlierOrLater_isServed() {
    try (ServerFixture later = ServerFixture.of(cluster("102"), ServerFixture.PATIENT)) {
      for (List<ServerFixture> replicas : List.of(List.of(one, later), List.of(later, one))) {
        ListObjectsResponse first = list(replicas.getFirst(), ByteString.EMPTY);
        ListObjectsResponse second = list(replicas.getLast(), first.getNextPageToken());
        assertThat(name(first)).isEqualTo("one");
        assertThat(name(second)).isEqualTo("two");
        assertThat(second.getResourceVersion()).isEqualTo(first.getResourceVersion());
      }
    }
  }

  @Test
  void pageOfReplicaThatIsAhead_waitsForItsVersion() throws Exception {
    try (ServerFixture other = ServerFixture.of(clusterOfOther, ServerFixture.PATIENT)) {
      keepTypeOpen(other);
      ByteString next = tokenAfterChange();
      int before = clusterOfOther.comparisons();
      CompletableFuture<ListObjectsResponse> page =
          CompletableFuture.supplyAsync(() -> list(other, next));
      await().until(() -> page.isDone() || clusterOfOther.comparisons() > before);
      assertThat(page).isNotDone();

      clusterOfOther.put(CHANGED);
      assertThat(name(page.join())).isEqualTo("two");
      assertThat(page.join().getResourceVersion()).isEqualTo("101");
    }
  }

  @Test
  void pageOfVersionThatIsNotReached_isExpired() throws Exception {
    FanoutSettings brief = FanoutSettings.DEFAULTS.withPositionTimeout(Duration.ofMillis(50));
    try (ServerFixture other = ServerFixture.of(clusterOfOther, brief)) {
      keepTypeOpen(other);
      ByteString next = tokenAfterChange();
      StatusRuntimeException refused =
          catchThrowableOfType(StatusRuntimeException.class, () -> list(other, next));
      assertThat(WatchError.of(refused).reason()).isEqualTo("PAGE_EXPIRED");
    }
  }
}
