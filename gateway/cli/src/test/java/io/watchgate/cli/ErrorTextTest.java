package io.watchgate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.watchgate.client.ErrorAction;
import io.watchgate.client.WatchError;
import io.watchgate.proto.v1.ErrorReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class ErrorTextTest {
  private static final String POINTER = "\n  see docs/reference/errors.md#";

  private static WatchError error(String reason, WatchError.Origin origin) {
    return new WatchError(
        Status.Code.UNAVAILABLE,
        reason,
        ErrorAction.RESUME,
        "text",
        Duration.ZERO,
        Optional.empty(),
        origin);
  }

  @Test
  void pointers_areTheEntriesOfThePageOfErrors() throws IOException {
    List<String> headings;
    try (Stream<String> lines = Files.lines(Path.of("../../docs/reference/errors.md"))) {
      headings =
          lines
              .filter(line -> line.matches("## [A-Z_]+")) // not those of other ends
              .map(line -> POINTER + line.substring(3).toLowerCase(Locale.ROOT))
              .toList();
    }

    assertThat(
            Stream.of(ErrorReason.values())
                .filter(reason -> reason != ErrorReason.UNRECOGNIZED)
                .map(reason -> reason.name().replaceFirst("^ERROR_REASON_", ""))
                .map(reason -> ErrorText.pointer(error(reason, WatchError.Origin.GATEWAY)))
                .filter(pointer -> !pointer.isEmpty()))
        .as("reasons of ErrorReason, each with one entry in docs/reference/errors.md")
        .containsExactlyInAnyOrderElementsOf(headings);
  }

  @Test
  void pointer_ofUnknownReason_isEmpty() {
    assertThat(ErrorText.pointer(error("OF_A_NEWER_GATEWAY", WatchError.Origin.GATEWAY))).isEmpty();
  }

  @Test
  void pointer_ofOtherServer_isEmpty() {
    assertThat(ErrorText.pointer(error("BEHIND", WatchError.Origin.OTHER_SERVER))).isEmpty();
  }
}
