package io.watchgate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.bench.baseline.BaselineServer;
import io.watchgate.bench.baseline.BaselineServer.Kind;
import io.watchgate.grpc.ServerTransport;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code watchgate bench} works with the baseline servers as with a gateway. */
@Tag("slow")
@Timeout(300)
class BaselineCommandTest {
  private static final InetSocketAddress ANY =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  private static final ServerTransport TRANSPORT = new ServerTransport(2);

  @AfterAll
  static void endLoops() {
    TRANSPORT.close();
  }

  private static Kind bare(int batch, int readyThreshold) {
    return new Kind.Bare(TRANSPORT.loops(), batch, readyThreshold);
  }

  private static Kind floor(int batch) {
    return new Kind.Floor(TRANSPORT.withoutGrpc(), ANY, TRANSPORT.loops(), batch);
  }

  static Stream<Arguments> rows() {
    return Stream.of(
        Arguments.of(bare(1, 32 << 10), "--rate 100"),
        Arguments.of(bare(1, 4 << 10), "--rate 0"),
        Arguments.of(bare(16, 32 << 10), "--rate 0"),
        Arguments.of(bare(16, 1), "--rate 0"),
        Arguments.of(bare(1, 32 << 10), "--selectors mixed --nodes 10 --rate 0"),
        Arguments.of(bare(1, 32 << 10), "--joining 20 --rate 400 --objects 200"),
        Arguments.of(bare(16, 4 << 10), "--joining 20 --rate 0 --size 8192"),
        Arguments.of(bare(1, 32 << 10), "--joining 20 --selectors mixed --nodes 5 --rate 400"),
        Arguments.of(floor(1), "--rate 100"),
        Arguments.of(floor(16), "--rate 0"),
        Arguments.of(floor(1), "--joining 20 --selectors mixed --nodes 5 --rate 400 --size 8192"),
        Arguments.of(new Kind.Naive(), "--rate 0"),
        Arguments.of(new Kind.Naive(), "--selectors per-node --nodes 10 --rate 100"));
  }

  @ParameterizedTest
  @MethodSource("rows")
  void bench_baselineServer_losesNothing(Kind kind, String options) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    try (EmbeddedSandbox cluster =
            new EmbeddedSandbox(1L << 30, ANY, "--listen", null, 1, Optional.empty());
        BaselineServer baseline =
            new BaselineServer(kind, cluster.clientConfig(), TRANSPORT.server(ANY), ANY, () -> 0)) {
      List<String> line = new ArrayList<>(List.of("bench", "--streams=20", "--connections=4"));
      line.addAll(List.of("--warm-up=100ms", "--duration=1s"));
      line.add("--server=127.0.0.1:" + baseline.port());
      line.add("--metrics=127.0.0.1:" + baseline.httpPort());
      line.add("--apiserver=http://" + cluster.hostPort());
      line.addAll(List.of(options.split(" ", -1)));
      int status =
          Main.run(
              out,
              new PrintStream(err, true, StandardCharsets.UTF_8),
              InstantSource.system(),
              line.toArray(String[]::new));
      assertThat(status).as(err + "\n" + out).isZero();
    }
    assertThat(out.toString(StandardCharsets.UTF_8)).contains("losses            none");
  }
}
