package io.watchgate.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import java.nio.file.Path;
import java.util.regex.Matcher;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Output of other programs that a measurement needs. */
class MeasurementTest {
  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "INFO  ServeCommand serving gRPC on 127.0.0.1:7443 (plaintext), probes and metrics on"
            + " 127.0.0.1:9443; watchgate 0.1.0, Java 25",
        "INFO  ServeCommand serving gRPC on 127.0.0.1:7443 (TLS), probes and metrics on"
            + " 127.0.0.1:9443",
        "serving bare on 127.0.0.1:7443, metrics on 127.0.0.1:9443"
      })
  void serverAddresses_areParsedFromItsOutput(String line) {
    Matcher said = Measurement.SERVER.matcher(line);
    assertThat(said.find()).isTrue();
    assertThat(said.group(1)).isEqualTo("127.0.0.1:7443");
    assertThat(said.group(2)).isEqualTo("127.0.0.1:9443");
  }

  @Tag("slow")
  @Test
  void certificate_isAcceptedByServer() throws Exception {
    SelfSignedCertificate made = SelfSignedCertificate.create(folder);
    assertThat(
            GrpcSslContexts.forServer(made.chain().toFile(), made.key().toFile())
                .build()
                .isServer())
        .isTrue();
  }
}
