package io.watchgate.e2e.faults;

import static io.watchgate.e2e.faults.Requests.watch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests with an apiserver that answers 401 to the gateway's token. */
@WithSharedApiserver
final class RefusedTokenTest {
  private static final Pattern TOKEN = Pattern.compile("token: (\\S+)");

  @TempDir private Path folder;

  private Path tokenFile() {
    return folder.resolve("token");
  }

  /**
   * Writes a copy of the kubeconfig that refers to a token file instead of the first user's token.
   * Returns the token.
   */
  private String moveTokenToFile(Path kubeconfig) throws IOException {
    String text = Files.readString(kubeconfig);
    Matcher token = TOKEN.matcher(text);
    assertThat(token.find()).isTrue();
    Files.writeString(kubeconfig, token.replaceFirst("tokenFile: " + tokenFile()));
    return token.group(1);
  }

  @Test
  void refusedToken_isReloadedWithoutLoss(Apiserver apiserver) throws Exception {
    ConfigMaps maps = ConfigMaps.in(apiserver.cluster(), "refused");
    maps.create("a", 0);
    try (ThrottlingProxy proxy = ThrottlingProxy.to(apiserver.server().getPort())) {
      Path kubeconfig = apiserver.kubeconfigVia(URI.create("https://127.0.0.1:" + proxy.port()));
      String token = moveTokenToFile(kubeconfig);
      Files.writeString(tokenFile(), "revoked-long-ago");
      try (TestGateway gateway = TestGateway.make(kubeconfig, GatewaySetup.QUICK)) {
        CompletableFuture<Void> serving = gateway.startLater();
        await()
            .atMost(Subscriber.LIMIT)
            .until(() -> gateway.http("/readyz").body().contains("401"));
        assertThat(gateway.http("/readyz").body()).doesNotContain("revoked-long-ago");
        Files.writeString(tokenFile(), token);
        serving.join();
        try (Subscriber subscriber =
            gateway.subscribe(watch("configmaps", maps.namespace()).build()).begun()) {
          maps.count("a", 1, 5);

          Files.writeString(tokenFile(), "revoked");
          proxy.cut();
          await()
              .atMost(Subscriber.LIMIT)
              .until(() -> gateway.metric("watchgate_watch_ends_total", "\"unauthorized\"") >= 1);
          maps.count("a", 6, 10);
          Files.writeString(tokenFile(), token);

          maps.awaitEqual(subscriber);
          assertThat(subscriber.fold().values(maps.key("a")))
              .isEqualTo(IntStream.rangeClosed(1, 10).boxed().toList());
        }
      }
    }
  }
}
