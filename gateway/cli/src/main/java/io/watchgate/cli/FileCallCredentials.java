package io.watchgate.cli;

import io.grpc.CallCredentials;
import io.grpc.Metadata;
import io.grpc.Status;
import io.watchgate.pem.FileErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Executor;

/** Bearer token of a file, for calls outside the SDK. The file is read for each call. */
final class FileCallCredentials extends CallCredentials {
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  private final Path file;

  FileCallCredentials(Path file) {
    this.file = file;
  }

  @Override
  public void applyRequestMetadata(RequestInfo call, Executor threads, MetadataApplier applier) {
    try {
      Metadata metadata = new Metadata();
      metadata.put(AUTHORIZATION, "Bearer " + Files.readString(file).strip());
      applier.apply(metadata);
    } catch (IOException e) {
      applier.fail(
          Status.UNAVAILABLE
              .withDescription("no token in " + file + ": " + FileErrors.reason(e))
              .withCause(e));
    }
  }
}
