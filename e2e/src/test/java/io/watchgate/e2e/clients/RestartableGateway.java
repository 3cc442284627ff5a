package io.watchgate.e2e.clients;

import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.GatewayUnderTest;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.proxy.FaultProxy;
import java.io.IOException;
import java.net.URI;
import java.util.function.ToIntFunction;

/** Gateway behind a port that stays the same when the gateway is replaced. */
final class RestartableGateway implements AutoCloseable {
  private final Apiserver apiserver;
  private final ToIntFunction<GatewayUnderTest> port;
  private final FaultProxy front;
  private GatewayUnderTest gateway;

  /**
   * Starts a gateway.
   *
   * @param port returns the port of the gateway that clients use
   */
  RestartableGateway(Apiserver apiserver, ToIntFunction<GatewayUnderTest> port) throws IOException {
    this.apiserver = apiserver;
    this.port = port;
    this.gateway = started();
    this.front = new FaultProxy(uri());
  }

  private GatewayUnderTest started() {
    return GatewayUnderTest.startWithKubeApi(apiserver.kubeconfig(), GatewaySetup.AS_SERVED);
  }

  private URI uri() {
    return URI.create("http://127.0.0.1:" + port.applyAsInt(gateway));
  }

  /** Returns the address for clients: {@code 127.0.0.1:PORT}. */
  String address() {
    return "127.0.0.1:" + front.port();
  }

  /** Ends the gateway and all of its connections. */
  void stop() {
    front.pass(FaultProxy.Manner.CUT);
    gateway.close();
  }

  /** Starts a gateway that knows nothing of the one before. */
  void startAgain() {
    gateway = started();
    front.setTarget(uri());
    front.pass(FaultProxy.Manner.PASSING);
  }

  @Override
  public void close() throws IOException {
    front.close();
    gateway.close();
  }
}
