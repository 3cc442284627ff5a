package io.watchgate.e2e.ops;

import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.GatewayUnderTest;
import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.Requires;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.faults.Requests;
import io.watchgate.e2e.faults.Subscriber;
import io.watchgate.e2e.program.BrowserProgram;
import java.util.Map;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Test of the pages for operators in Chromium: {@code e2e/browser/pages.mjs} has its cases. */
@Order(Order.DEFAULT + 1) // after runs with time limits: it keeps all CPUs busy
@WithSharedApiserver
@Requires(RequiredTool.NODE)
@Requires(RequiredTool.CHROMIUM)
final class BrowserTest {
  private static final String EVIL_CLIENT = "<img src=x onerror=window.injected=1>";

  @Test
  void pages_inBrowser_passTheirCases(Apiserver apiserver) throws Exception {
    try (GatewayUnderTest gateway =
        GatewayUnderTest.startWithKubeApi(apiserver.kubeconfig(), GatewaySetup.AS_SERVED)) {
      ManagedChannel channel =
          NettyChannelBuilder.forAddress("127.0.0.1", gateway.port()).usePlaintext().build();
      try (Subscriber subscriber =
          Subscriber.open(
              channel, Requests.watch("configmaps").setClientName(EVIL_CLIENT).build())) {
        var _ = subscriber.begun();

        BrowserProgram.requirePassed(
            "pages.mjs",
            Map.of(
                "PAGES",
                "http://127.0.0.1:" + gateway.httpPort(),
                "READS",
                "http://127.0.0.1:" + gateway.kubePort(),
                "EVIL_CLIENT",
                EVIL_CLIENT),
            12);
      } finally {
        channel.shutdownNow();
      }
    }
  }
}
