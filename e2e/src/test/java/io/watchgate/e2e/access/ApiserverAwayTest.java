package io.watchgate.e2e.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.OwnApiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import io.watchgate.e2e.faults.Requests;
import io.watchgate.e2e.faults.Subscriber;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListObjectsRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests without a reachable apiserver, so that neither identity nor rights can be checked: new
 * streams wait, open streams continue for a limited time.
 */
@WithApiserver
final class ApiserverAwayTest {
  private static final int RECHECK_SECONDS = 2;
  private static final int GRACE_SECONDS = 4;

  /**
   * Longest time after the apiserver's end for which a caller is admitted: the minute for which its
   * yes is cached, and the questions to an apiserver that does not answer. It is shorter if roles
   * changed within 10 s before that end.
   */
  private static final Duration REMEMBERED = Duration.ofSeconds(75);

  @TempDir private Path folder;

  @Test
  void apiserverAway_newStreamsWaitAndOpenOnesHaveGrace(@OwnApiserver Apiserver own) {
    NamespaceReaders readers = new NamespaceReaders(own);
    String namespace = readers.namespace("away");
    NamespaceReaders.Reader reader = readers.create(namespace);
    NamespaceReaders.Reader late = readers.create(namespace);
    String token = readers.accounts().gatewayToken(reader.account());
    String lateToken = readers.accounts().gatewayToken(late.account());
    ListAndWatchRequest request = Requests.watch("configmaps", namespace).build();
    GatewayAccount gatewayAccount =
        GatewayAccount.create(
            own,
            folder,
            "away-gateway",
            List.of(Type.CONFIGMAPS),
            GatewayAccount.REVIEWS_AND_ROLES);
    try (SecuredGateway strict =
            SecuredGateway.open(
                gatewayAccount,
                "--token-review",
                "--recheck-every",
                Integer.toString(RECHECK_SECONDS),
                "--recheck-grace",
                Integer.toString(GRACE_SECONDS));
        SecuredGateway patient =
            SecuredGateway.open(
                gatewayAccount,
                "--token-review",
                "--recheck-every",
                Integer.toString(RECHECK_SECONDS),
                "--recheck-grace",
                "600");
        Subscriber strictly = Subscriber.open(strict.with(token), request).begun();
        Subscriber patiently = Subscriber.open(patient.with(token), request).begun()) {
      Instant away = Instant.now();
      own.kill();

      for (SecuredGateway secured : List.of(strict, patient)) {
        assertThat(Decision.watch(secured.with(lateToken), request))
            .isEqualTo(Decision.UNREACHABLE);
        assertThat(Decision.list(secured.with(lateToken), list(request)))
            .isEqualTo(Decision.UNREACHABLE);
      }
      assertThat(strictly.end().summary()).isEqualTo(Decision.UNREACHABLE);
      Duration stayed = Duration.between(away, Instant.now());
      System.out.println("Stayed " + stayed.toMillis() + " ms without the apiserver");
      assertThat(stayed)
          .isBetween(
              Duration.ofSeconds(GRACE_SECONDS - 1),
              Duration.ofSeconds(120)); // the grace of the other gateway is longer
      await()
          .atMost(REMEMBERED)
          .until(() -> Decision.watch(strict.with(token), request).equals(Decision.UNREACHABLE));

      own.start();
      try (CountingWriter writer = CountingWriter.in(own.cluster(), namespace)) {
        await()
            .atMost(Subscriber.LIMIT)
            .until(() -> Decision.watch(strict.with(lateToken), request).equals(Decision.OPENED));
        try (Subscriber again = strictly.resume(strict.with(token)).begun()) {
          for (Subscriber one : List.of(again, patiently)) {
            await().atMost(Subscriber.LIMIT).until(() -> one.fold().hasReached(writer.key(), 10));
            assertThat(one.isOver()).isFalse();
            assertThat(one.fold().violations()).isEmpty();
          }
        }
      }
    }
  }

  private static ListObjectsRequest list(ListAndWatchRequest like) {
    return ListObjectsRequest.newBuilder().setSelection(like.getSelection()).build();
  }
}
