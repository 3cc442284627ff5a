package io.watchgate.audit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.watchgate.auth.AccessAttributes;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.proto.v1.Selection;
import java.io.IOException;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Audit lines of any texts. */
@Tag("slow")
final class AuditLineFormatTest {
  private static JsonNode parsed(String line) {
    for (String never : new String[] {"\n", "\r", "\u2028", "\u2029"}) {
      assertThat(line.contains(never)).isFalse();
    }
    try {
      StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(line));
      return new ObjectMapper().readTree(line);
    } catch (CharacterCodingException e) {
      throw new AssertionError("cannot be written in UTF-8", e);
    } catch (IOException e) {
      throw new AssertionError(line, e);
    }
  }

  @Test
  void line_withAnyText_parsesAndIsShort() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    List<String> lines = new ArrayList<>();
    AuditLog log = new AuditLog(lines::add, InstantSource.system(), AuditSettings.EACH);
    for (int i = 0; i < 2_000; i++) {
      Selection.Builder selection =
          Selection.newBuilder().setLabelSelector(text(random)).setFieldSelector(text(random));
      selection.getResourceTypeBuilder().setGroup(text(random)).setResource(text(random));
      for (int n = random.nextInt(200); n > 0; n--) {
        selection.addNamespaces("n".repeat(random.nextInt(63)));
      }
      log.write(
          AuditLog.Event.ENDED,
          new AuditLog.Subject(
              AccessAttributes.Verb.WATCH,
              null,
              "token",
              "10.0.0.1",
              random.nextInt(1 << 16),
              text(random),
              text(random),
              "",
              selection.build()),
          ErrorReason.ERROR_REASON_LAGGED,
          new AuditLog.StreamEnd(Duration.ofMillis(random.nextInt()), random.nextLong(), ""));
    }

    assertThat(lines).hasSize(2_000);
    for (String line : lines) {
      assertThat(parsed(line).get("event").asText()).as("seed %d", seed).isEqualTo("ended");
      assertThat(line.length()).as("seed %d", seed).isLessThan(100_000);
    }
  }

  /** Returns text as in a message, without half surrogate pairs. */
  private static String text(Random random) {
    return random
        .ints(random.nextInt(3_000), 0, 0x10FFFF)
        .filter(c -> c < 0xD800 || c > 0xDFFF)
        .map(c -> random.nextBoolean() ? c % 0x40 : c)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }
}
