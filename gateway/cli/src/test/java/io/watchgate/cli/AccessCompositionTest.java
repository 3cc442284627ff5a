package io.watchgate.cli;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.watchgate.admission.GatewayStreamLimits;
import io.watchgate.audit.AuditSettings;
import io.watchgate.auth.AuthSettings;
import io.watchgate.auth.AuthSettings.Authorization;
import io.watchgate.auth.AuthSettings.Identification;
import io.watchgate.auth.AuthSettings.MissingCredentials;
import io.watchgate.cache.CacheSettings;
import io.watchgate.fanout.FanoutSettings;
import io.watchgate.kube.KubeSettings;
import io.watchgate.server.AccessSettings;
import io.watchgate.server.Gateway;
import io.watchgate.server.GatewaySettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Gateways whose apiserver has no access reviews. */
@Tag("slow")
final class AccessCompositionTest {
  private static final InetSocketAddress ANY =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  private static AccessSettings settings(List<String> audiences, Authorization authorization) {
    return new AccessSettings(
        new AuthSettings(
            new Identification(
                audiences, Optional.empty(), Optional.empty(), MissingCredentials.ANONYMOUS),
            authorization,
            AuthSettings.Rechecks.DEFAULTS,
            AuthSettings.Quotas.DEFAULTS),
        AccessSettings.Pages.OPEN,
        new AccessSettings.Audit.Off(),
        AuditSettings.DEFAULTS);
  }

  private static void start(AccessSettings access) throws Exception {
    try (EmbeddedSandbox sandbox =
            new EmbeddedSandbox(1L << 30, ANY, "--listen", null, 1, Optional.empty());
        Gateway gateway =
            new Gateway(
                sandbox.clientConfig(),
                new GatewaySettings(
                    ANY,
                    ANY,
                    Optional.empty(),
                    Optional.empty(),
                    "",
                    List.of(),
                    CacheSettings.forHeap(Runtime.getRuntime().maxMemory()),
                    KubeSettings.DEFAULT,
                    FanoutSettings.DEFAULTS,
                    GatewayStreamLimits.DEFAULTS,
                    access,
                    Duration.ofSeconds(1),
                    Optional.empty(),
                    GatewaySettings.Lane.ON,
                    List.of()))) {
      gateway.start();
    }
  }

  /** The start fails, so that not every caller is denied later. */
  @Test
  void sandboxWithoutAccessReviews_gatewayNeedsThem_startFails() throws Exception {
    assertThatThrownBy(() -> start(settings(List.of(), Authorization.KUBERNETES)))
        .hasMessage(
            "the apiserver is a sandbox, which knows no users and no rights, and has no"
                + " SubjectAccessReview: set --authorization none");
    assertThatThrownBy(() -> start(settings(List.of("watchgate"), Authorization.NONE)))
        .hasMessageEndingWith("has no TokenReview: leave --token-review out");
    start(settings(List.of(), Authorization.NONE));
  }
}
