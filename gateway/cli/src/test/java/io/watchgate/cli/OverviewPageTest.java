package io.watchgate.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.cache.TypeReference;
import io.watchgate.client.WatchCall;
import io.watchgate.client.WatchClient;
import io.watchgate.client.WatchUpdate;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.Selection;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Test of the first page of a gateway that has lost its apiserver and a client. */
@Tag("slow")
final class OverviewPageTest {
  private static String page(SandboxedGateway gateway, String accept) {
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(
              HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateway.httpPort() + "/"))
                  .header("Accept", accept)
                  .build(),
              HttpResponse.BodyHandlers.ofString())
          .body();
    } catch (IOException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static void watchAndLeave(SandboxedGateway gateway) throws Exception {
    try (WatchClient client = WatchClient.to("127.0.0.1", gateway.port()).build()) {
      CountDownLatch synced = new CountDownLatch(1);
      try (WatchCall _ =
          client.watch(
              ListAndWatchRequest.newBuilder()
                  .setClientName("leaves")
                  .setSelection(
                      Selection.newBuilder()
                          .setResourceType(ResourceType.newBuilder().setResource("configmaps"))
                          .setLabelSelector("app=web"))
                  .build(),
              update -> {
                if (update instanceof WatchUpdate.SnapshotComplete) {
                  synced.countDown();
                }
              })) {
        assertThat(synced.await(3, TimeUnit.MINUTES)).isTrue();
        // The end of its snapshot reaches a client before the stream is live.
        await()
            .untilAsserted(
                () ->
                    assertThat(page(gateway, "text/plain"))
                        .containsPattern("(?m)^leaves .* live +\\d"));
      }
    }
  }

  @Test
  void failureOfAType_andEndedStreams_areOnThePage() throws Exception {
    try (SandboxedGateway gateway =
        new SandboxedGateway(new TypeReference("", "v1", "configmaps"))) {
      assertThat(page(gateway, "text/plain"))
          .containsPattern("(?m)^endedIn15Minutes: +0$")
          .containsPattern("(?m)^endedStreams: none$");
      watchAndLeave(gateway);
      await()
          .untilAsserted(
              () ->
                  assertThat(page(gateway, "text/plain"))
                      .containsPattern("(?m)^endedIn15Minutes: +1$")
                      .containsPattern("(?m)^endReasons: +client 1$")
                      .containsPattern(
                          "(?m)Z +client +leaves +system:anonymous +configmaps +\\* +app=web +-"
                              + " +live$"));
      String address = gateway.apiserver();

      gateway.endSandbox();

      // It is a brief watch if the sandbox answered the first list after it had ended its watches.
      await()
          .untilAsserted(
              () ->
                  assertThat(page(gateway, "text/plain"))
                      .containsPattern(
                          "(?m)^configmaps .*disconnected .* [2-9]\\d* +(list|brief watch) .*:"
                              + " cannot connect to "
                              + address));
      assertThat(page(gateway, "text/html"))
          .contains("<th scope=\"col\">failedAttempts</th>", "cannot connect to " + address);
    }
  }
}
