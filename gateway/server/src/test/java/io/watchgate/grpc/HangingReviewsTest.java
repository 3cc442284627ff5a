package io.watchgate.grpc;

import static io.watchgate.grpc.ServerFixture.CONFIG_MAPS;
import static io.watchgate.grpc.ServerFixture.withToken;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.Channel;
import io.watchgate.auth.AuthSettings;
import io.watchgate.auth.Callers;
import io.watchgate.auth.ScriptedReviewers;
import io.watchgate.cache.SampleObject;
import io.watchgate.proto.v1.ListObjectsRequest;
import io.watchgate.proto.v1.ListResourceTypesRequest;
import io.watchgate.proto.v1.WatchServiceGrpc;
import io.watchgate.proto.v1.WatchServiceGrpc.WatchServiceBlockingStub;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests with an apiserver that accepts reviews of callers, and does not answer. */
@Tag("slow")
final class HangingReviewsTest {
  private final ScriptedReviewers apiserver = new ScriptedReviewers();
  private final ServerFixture fixture =
      ServerFixture.withAccessControl(
          Callers.settings(AuthSettings.Quotas.DEFAULTS),
          apiserver,
          SampleObject.of("ns", "a", 50));
  private final Channel channel = fixture.connect();

  @AfterEach
  void close() {
    fixture.close();
  }

  private Channel of(String token, String user) {
    apiserver.knows(token, user);
    return withToken(channel, token);
  }

  private static WatchServiceBlockingStub stub(Channel of) {
    return WatchServiceGrpc.newBlockingStub(of).withDeadlineAfter(3, TimeUnit.MINUTES);
  }

  @Test
  void callersWithARememberedAnswer_getInAtOnce() {
    Channel jane = of("t1", "jane");
    RawStream first = RawStream.open(jane, CONFIG_MAPS);
    await().until(first::isSynced);
    CountDownLatch answer = apiserver.hold();
    try {
      for (int i = 0; i < 50; i++) {
        RawStream.open(of("new" + i, "user" + i), CONFIG_MAPS);
      }
      await().until(() -> apiserver.asking() == 50);

      RawStream second = RawStream.open(jane, CONFIG_MAPS);
      await().until(second::isSynced);
      assertThat(
              stub(jane)
                  .listObjects(
                      ListObjectsRequest.newBuilder()
                          .setSelection(CONFIG_MAPS.getSelection())
                          .build())
                  .getObjectsCount())
          .isEqualTo(1);
      assertThat(
              stub(jane)
                  .listResourceTypes(ListResourceTypesRequest.getDefaultInstance())
                  .getTypesList())
          .anyMatch(type -> type.getSynced());
      assertThat(apiserver.asking()).as("reviews, of which none is about jane").isEqualTo(50);
    } finally {
      answer.countDown();
    }
  }
}
