package io.watchgate.json;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;

/** Fuzz test that a patch turns any document into any other, with an applier that knows neither. */
final class JsonDiffFuzzTest {
  @FuzzTest
  void aPatchMakesTheDocumentBeforeIntoTheOneAfter(byte[] documents) throws IOException {
    int line = lineFeed(documents);
    if (line < 0) {
      return;
    }
    byte[] before = Arrays.copyOf(documents, line);
    byte[] after = Arrays.copyOfRange(documents, line + 1, documents.length);
    check(before, after);
    check(after, before);
    check(after, after);
    check(padded(before), padded(after));
  }

  /** Pads a document, so that replacing it is longer than a patch of its changes. */
  private static byte[] padded(byte[] document) {
    String text = new String(document, ISO_8859_1);
    String begin = "{\"a long name\":\"" + "x".repeat(1_000) + "\"";
    return text.replaceFirst("^\\{(?=\\s*})", begin)
        .replaceFirst("^\\{(?=\\s*\")", begin + ",")
        .getBytes(ISO_8859_1);
  }

  /** Returns the line feed after the first document. */
  private static int lineFeed(byte[] documents) {
    for (int i = 0; i < documents.length; i++) {
      if (documents[i] == '\n') {
        return i;
      }
    }
    return -1;
  }

  private static void check(byte[] before, byte[] after) throws IOException {
    Optional<byte[]> patch = JsonDiff.between(before, after);
    JsonNode old = StrictJson.read(before);
    JsonNode now = StrictJson.read(after);
    if (old == null || now == null) {
      return;
    }
    int depth = Math.max(StrictJson.depth(old), StrictJson.depth(now));
    if (patch.isEmpty() && depth > JsonIndex.MAX_DEPTH) {
      return;
    }
    assertThat(depth).isLessThanOrEqualTo(JsonIndex.MAX_DEPTH + 1); // if the innermost is empty
    byte[] found = patch.orElseThrow(() -> new AssertionError("no patch"));
    assertThat(PatchedTree.of(before, found)).as("%s", new String(found, UTF_8)).isEqualTo(now);
  }
}
