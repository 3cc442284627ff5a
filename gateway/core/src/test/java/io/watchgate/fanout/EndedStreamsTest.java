package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.select.CompiledSelection;
import io.watchgate.select.SelectableFields;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests of the streams that are kept after their end. */
final class EndedStreamsTest {
  private final EndedStreams endedStreams = new EndedStreams();

  private static EndedStreams.Entry at(int second) {
    return new EndedStreams.Entry(
        Instant.ofEpochSecond(second), StreamIdentity.UNKNOWN, "pods", null, "client", 0);
  }

  @Test
  void endedStreams_areBoundedAndCountedSinceATime() {
    for (int i = 0; i < EndedStreams.MAX_ENDED + 5; i++) {
      endedStreams.addEnded(at(i));
    }

    assertThat(endedStreams.ended()).hasSize(EndedStreams.MAX_ENDED);
    assertThat(endedStreams.endedSince(Instant.ofEpochSecond(EndedStreams.MAX_ENDED)))
        .isEqualTo(Map.of("client", 5));
    assertThat(endedStreams.endedSince(Instant.EPOCH))
        .isEqualTo(Map.of("client", EndedStreams.MAX_ENDED));
  }

  /** A selection may have hundreds of namespaces and long selectors, of which little is kept. */
  @Test
  void textsOfASelection_areCut() throws Exception {
    List<String> namespaces = IntStream.range(100, 150).mapToObj(i -> "namespace-" + i).toList();
    CompiledSelection selection =
        CompiledSelection.of(
            SelectableFields.of(
                new TypeDefinition(
                    new ApiResource("", "v1", "configmaps", "Kind", ApiResource.Scope.NAMESPACED),
                    "",
                    List.of(),
                    List.of(),
                    "",
                    List.of())),
            namespaces,
            "a in (" + String.join(",", namespaces) + ")",
            "");

    EndedStreams.Watched watched =
        EndedStreams.Watched.of(selection, StreamState.Activity.SNAPSHOT);

    assertThat(watched.namespaces()).startsWith("namespace-100,").endsWith("...").hasSize(131);
    assertThat(watched.labels()).startsWith("a in (namespace-100,").endsWith("...").hasSize(131);
    assertThat(watched.fields()).isEmpty();
  }
}
