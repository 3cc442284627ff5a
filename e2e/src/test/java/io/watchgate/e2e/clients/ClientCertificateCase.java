package io.watchgate.e2e.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.TlsServerCredentials;
import io.watchgate.conformance.ScriptedGateway;
import io.watchgate.e2e.program.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Test of a client that identifies itself by a certificate, which is replaced while it watches. */
interface ClientCertificateCase {
  Program client();

  @Test
  default void clientCertificate_isReadAgain(@TempDir Path folder) throws Exception {
    HeldCertificate authority = new HeldCertificate.Builder().certificateAuthority(0).build();
    HeldCertificate server =
        new HeldCertificate.Builder()
            .signedBy(authority)
            .addSubjectAlternativeName("127.0.0.1")
            .build();
    Path ca = Files.writeString(folder.resolve("ca.pem"), authority.certificatePem());
    Path certificate = folder.resolve("client.pem");
    Path key = folder.resolve("client.key");
    replace(certificate, key, authority, "first");
    TlsServerCredentials.Builder trusting =
        TlsServerCredentials.newBuilder()
            .keyManager(
                TlsAndTokenCase.stream(server.certificatePem()),
                TlsAndTokenCase.stream(server.privateKeyPkcs8Pem()))
            .trustManager(TlsAndTokenCase.stream(authority.certificatePem()))
            .clientAuth(TlsServerCredentials.ClientAuth.REQUIRE);
    String[] arguments = {
      "--tls-ca",
      ca.toString(),
      "--tls-client-cert",
      certificate.toString(),
      "--tls-client-key",
      key.toString()
    };
    try (ScriptedGateway gateway =
        TlsAndTokenCase.afterTwoStreams(
            client(), trusting, () -> replace(certificate, key, authority, "second"), arguments)) {
      assertThat(gateway.certificates()).containsExactly("CN=first", "CN=second");
    }
  }

  private static void replace(Path certificate, Path key, HeldCertificate authority, String name)
      throws IOException {
    HeldCertificate client =
        new HeldCertificate.Builder().signedBy(authority).commonName(name).build();
    Files.writeString(certificate, client.certificatePem());
    Files.writeString(key, client.privateKeyPkcs8Pem());
  }
}
