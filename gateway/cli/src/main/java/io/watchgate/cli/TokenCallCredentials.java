package io.watchgate.cli;

import io.grpc.CallCredentials;
import io.grpc.Metadata;
import io.grpc.Status;
import io.watchgate.pem.FileErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Executor;

/** Bearer token for calls outside the SDK. It is read for each call. */
final class TokenCallCredentials extends CallCredentials {
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  private final Source source;

  TokenCallCredentials(Source source) {
    this.source = source;
  }

  /** Source of the token to send now; may block. */
  @FunctionalInterface
  interface Source {
    String token() throws IOException;
  }

  static TokenCallCredentials of(Path file) {
    return new TokenCallCredentials(() -> token(file));
  }

  /**
   * Returns the token in a file.
   *
   * @throws IOException if the file cannot be read; its message has the path and the reason
   */
  static String token(Path file) throws IOException {
    try {
      return Files.readString(file).strip();
    } catch (IOException e) {
      throw new IOException("no token in " + file + ": " + FileErrors.reason(e), e);
    }
  }

  @Override
  public void applyRequestMetadata(RequestInfo call, Executor threads, MetadataApplier applier) {
    threads.execute(() -> apply(applier));
  }

  private void apply(MetadataApplier applier) {
    Metadata metadata = new Metadata();
    try {
      metadata.put(AUTHORIZATION, "Bearer " + source.token());
    } catch (IOException e) {
      applier.fail(Status.UNAVAILABLE.withDescription(e.getMessage()).withCause(e));
      return;
    }
    applier.apply(metadata);
  }
}
