package io.watchgate.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.Upstream.Listed;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Tests with a proxy for all connections of the JVM, set by {@code -Dhttps.proxyHost} and the like.
 */
@Tag("slow")
@Isolated // the proxy affects every test
final class JvmProxyTest {
  @RegisterExtension private final ApiserverStub stub = new ApiserverStub();
  private final List<URI> asked = new CopyOnWriteArrayList<>();
  private final ProxySelector before = ProxySelector.getDefault();

  @BeforeEach
  void set() {
    ProxySelector.setDefault(
        new ProxySelector() {
          @Override
          public List<Proxy> select(URI uri) {
            asked.add(uri);
            Proxy.Type type = uri.getScheme().equals("socket") ? Proxy.Type.SOCKS : Proxy.Type.HTTP;
            return List.of(
                new Proxy(type, new InetSocketAddress(InetAddress.getLoopbackAddress(), 1)));
          }

          @Override
          public void connectFailed(URI uri, SocketAddress address, IOException e) {}
        });
  }

  @AfterEach
  void restore() {
    ProxySelector.setDefault(before);
  }

  @Test
  void apiserver_isReachedDirectly() throws Exception {
    stub.answer(ListPage.of("1", "", 0, 0));
    try (KubeUpstream pods = stub.pods()) {
      assertThat(pods.list(new Recorder())).isEqualTo(new Listed("1"));
    }
    assertThat(asked).isEmpty();
  }

  @Test
  void plaintextApiserver_isReachedDirectly() throws Exception {
    try (OneLineServer plain = new OneLineServer();
        KubeUpstream pods =
            stub.podsAt(
                plain.url(), new TlsOptions(TlsOptions.Verification.FULL, null, "", null))) {
      assertThat(pods.list(new Recorder())).isEqualTo(new Listed("7"));
    }
    assertThat(asked).isEmpty();
  }

  @Test
  void kubeconfigProxy_isReachedDirectly() throws Exception {
    try (OneLineServer plain = new OneLineServer();
        SocksStub socks = new SocksStub(plain.url().port(), "", 0);
        KubeUpstream pods =
            stub.upstream(
                new ClientConfig(
                    "from the test",
                    plain.url(),
                    new KubeconfigProxy(
                        KubeconfigProxy.Kind.SOCKS5, "localhost", socks.port(), "", ""),
                    new TlsOptions(TlsOptions.Verification.FULL, null, "", null),
                    new UserCredentials.Anonymous(),
                    Impersonation.NONE,
                    ""),
                ApiserverStub.PODS,
                ApiserverStub.SETTINGS)) {
      assertThat(pods.list(new Recorder())).isEqualTo(new Listed("7"));
    }
    assertThat(asked).isEmpty();
  }

  @Test
  void reviews_areSentDirectly() throws Exception {
    stub.answer("{\"kind\":\"Status\"}");
    try (RawApiClient api =
        RawApiClient.of(stub.access(new UserCredentials.Anonymous()), ApiserverStub.SETTINGS)) {
      assertThat(api.send(RawApiClient.Message.get("version"))).isNotEmpty();
    }
    assertThat(asked).isEmpty();
  }
}
