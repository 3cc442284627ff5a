package io.watchgate.e2e.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.TlsServerCredentials;
import io.watchgate.conformance.ScriptedGateway;
import io.watchgate.conformance.ScriptedStream;
import io.watchgate.e2e.program.Program;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Test of a client that has to use TLS and to send a bearer token. */
interface TlsAndTokenCase {
  Program client();

  @Test
  default void tlsWithAServerNameAndATokenFile_areUsedForEachStream(@TempDir Path folder)
      throws Exception {
    HeldCertificate held =
        new HeldCertificate.Builder()
            .certificateAuthority(0)
            .addSubjectAlternativeName("watchgate.test")
            .build();
    Path ca = Files.writeString(folder.resolve("ca.pem"), held.certificatePem());
    Path token = Files.writeString(folder.resolve("token"), "first\n");
    TlsServerCredentials.Builder server =
        TlsServerCredentials.newBuilder()
            .keyManager(stream(held.certificatePem()), stream(held.privateKeyPkcs8Pem()));
    String[] arguments = {
      "--tls-ca",
      ca.toString(),
      "--tls-server-name",
      "watchgate.test",
      "--bearer-token-file",
      token.toString()
    };
    ThrowingRunnable replace = () -> Files.writeString(token, "second\n");
    try (ScriptedGateway gateway = afterTwoStreams(client(), server, replace, arguments)) {
      assertThat(gateway.authorizations()).containsExactly("Bearer first", "Bearer second");
    }
  }

  /** Replacement of files. */
  interface ThrowingRunnable {
    void run() throws IOException;
  }

  /** Returns the gateway at which a client has opened two streams, before and after a change. */
  static ScriptedGateway afterTwoStreams(
      Program client,
      TlsServerCredentials.Builder server,
      ThrowingRunnable change,
      String... arguments)
      throws Exception {
    ScriptedGateway gateway =
        new ScriptedGateway(
            server.build(), List.of(Streams.SNAPSHOT, Streams.RESUMED), ScriptedStream.SILENT);
    try (WatchProgram watch = WatchProgram.start(client, gateway.port(), arguments)) {
      watch.awaitStory(story -> assertThat(story).endsWith("SYNCED"));
      change.run();
      gateway.playMore(Streams.BROKEN);
      watch.awaitStory(story -> assertThat(story).endsWith("RESUMED"));
      return gateway;
    } catch (Throwable e) {
      gateway.close();
      throw e;
    }
  }

  static InputStream stream(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.US_ASCII));
  }
}
