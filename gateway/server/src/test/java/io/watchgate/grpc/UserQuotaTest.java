package io.watchgate.grpc;

import static io.watchgate.grpc.ServerFixture.CONFIG_MAPS;
import static io.watchgate.grpc.ServerFixture.withToken;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.rpc.QuotaFailure;
import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
import io.watchgate.auth.AuthSettings;
import io.watchgate.auth.Callers;
import io.watchgate.auth.ScriptedReviewers;
import io.watchgate.cache.SampleObject;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListResourceTypesRequest;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that the quota of one user covers all connections, and that other users have their own. */
final class UserQuotaTest {
  private static final AuthSettings.Quotas FEW = new AuthSettings.Quotas(4, 2, 2, 1 << 20);

  private final ScriptedReviewers apiserver = new ScriptedReviewers();
  private final ServerFixture fixture =
      ServerFixture.withAccessControl(
          Callers.settings(FEW), apiserver, SampleObject.of("ns", "a", 50));

  @AfterEach
  void close() {
    fixture.close();
  }

  /** Returns a new connection, with a token of its own. */
  private Channel connect(String user) {
    String token = "of-" + user + "-" + apiserver.tokens().size() + System.nanoTime();
    apiserver.knows(token, user);
    return withToken(fixture.connect(), token);
  }

  private static RawStream synced(Channel channel, ListAndWatchRequest request) {
    RawStream stream = RawStream.open(channel, request);
    await().until(stream::isSynced);
    return stream;
  }

  private static ListAndWatchRequest labelled(String labels) {
    return CONFIG_MAPS.toBuilder()
        .setSelection(CONFIG_MAPS.getSelection().toBuilder().setLabelSelector(labels))
        .build();
  }

  @Tag("slow")
  @Test
  void streamsOfAUser_countAcrossConnections() throws Exception {
    List<RawStream> streams = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      streams.add(synced(connect("jane"), CONFIG_MAPS));
    }

    QuotaFailure.Violation violation =
        QuotaTest.violation(RawStream.open(connect("jane"), CONFIG_MAPS));

    assertThat(violation.getSubject()).isEqualTo("streams:user");
    assertThat(violation.getDescription())
        .isEqualTo("4 open streams of one user, of at most 4.")
        .doesNotContain("jane");
    synced(connect("joe"), CONFIG_MAPS);
    streams.getFirst().cancel();
    await().until(() -> fixture.gatekeeper.maxStreamsOfOneUser() == 3);
    synced(connect("jane"), CONFIG_MAPS);
  }

  @Test
  void selectionQuota_refusesNewSelectionsOnly() throws Exception {
    synced(connect("jane"), CONFIG_MAPS);
    synced(connect("jane"), labelled("app=web"));

    QuotaFailure.Violation violation =
        QuotaTest.violation(RawStream.open(connect("jane"), labelled("app=db")));

    assertThat(violation.getSubject()).isEqualTo("selections:user");
    synced(connect("jane"), labelled(" app = web "));
    assertThat(fixture.gatekeeper.maxStreamsOfOneUser()).isEqualTo(3);
    assertThat(fixture.gatekeeper.maxSelectionsOfOneUser()).isEqualTo(2);
  }

  @Test
  void tooManyCalls_areRefusedWithRetryDelay() throws Exception {
    Channel jane = connect("jane");
    int answered = 0;
    StatusRuntimeException refused = null;
    while (refused == null) {
      try {
        WatchServiceGrpc.newBlockingStub(jane)
            .listResourceTypes(ListResourceTypesRequest.getDefaultInstance());
        answered++;
      } catch (StatusRuntimeException e) {
        refused = e;
      }
    }

    assertThat(answered).isBetween(20, 200);
    assertThat(String.valueOf(refused.getStatus().getDescription()))
        .contains("\"jane\"", "--max-opens-per-user");
    synced(connect("joe"), CONFIG_MAPS);
  }
}
