package io.watchgate.grpc;

import static io.watchgate.grpc.ServerFixture.CONFIG_MAPS;

import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.watchgate.admission.StreamAdmission;
import io.watchgate.cache.TimeSource;
import io.watchgate.fanout.FanoutMetrics;
import io.watchgate.proto.v1.ListResourceTypesRequest;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of calls that arrive while the gateway ends and its threads are gone. */
final class EndedServiceTest {
  private final ServerFixture fixture = new ServerFixture();
  private final EventLoops loops =
      new EventLoops(1, TransportSettings.DEFAULTS, TimeSource.SYSTEM, FanoutMetrics.NONE);

  @AfterEach
  void close() {
    loops.close();
    fixture.close();
  }

  private interface Calls {
    void make(ManagedChannel channel);
  }

  private void serve(Executor threads, Calls calls) throws IOException {
    WatchService service =
        new WatchService(
            fixture.context,
            ServedClusterId.of("a cluster"),
            new StreamAdmission(fixture.context.types().registry()),
            loops,
            threads);
    service.close();
    Server server =
        loops
            .server(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .addService(service.definition())
            .build()
            .start();
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", server.getPort()).usePlaintext().build();
    try {
      calls.make(channel);
    } finally {
      channel.shutdownNow();
      server.shutdownNow();
    }
  }

  @Test
  void callsWithoutThreads_endAsInADrain() throws IOException {
    Executor none =
        task -> {
          throw new RejectedExecutionException();
        };
    serve(
        none,
        channel -> {
          RawStream.open(channel, CONFIG_MAPS).assertEnds("UNAVAILABLE DRAINING RESUME");
          RawStream types =
              RawStream.begin(
                  channel, RawStream.raw(WatchServiceGrpc.getListResourceTypesMethod()));
          types.ask(ListResourceTypesRequest.getDefaultInstance().toByteArray());
          types.halfClose();
          types.assertEnds("UNAVAILABLE DRAINING RESUME");
        });
  }

  @Test
  void streamWhoseTypesAreClosed_endsAsInADrain() throws IOException {
    fixture.context.types().registry().close();
    serve(
        Runnable::run,
        channel -> RawStream.open(channel, CONFIG_MAPS).assertEnds("UNAVAILABLE DRAINING RESUME"));
  }
}
