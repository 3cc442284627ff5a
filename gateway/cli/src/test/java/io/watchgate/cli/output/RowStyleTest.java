package io.watchgate.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.watchgate.cli.output.EventOutput.Part;
import io.watchgate.jsonpath.JsonPathException;
import io.watchgate.jsonpath.JsonPathTemplate;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.ObjectKey;
import io.watchgate.proto.v1.WatchEvent;
import io.watchgate.table.TypeColumns;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Signs, colors, and escaped characters. */
class RowStyleTest {
  private static final InstantSource CLOCK =
      InstantSource.fixed(Instant.parse("2026-01-01T00:10:00Z"));

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private static List<WatchEvent> event(EventType type, String name) {
    return List.of(
        WatchEvent.newBuilder()
            .setType(type)
            .setKey(ObjectKey.newBuilder().setName(name))
            .setObject(
                ByteString.copyFromUtf8(
                    "{\"kind\":\"Widget\",\"apiVersion\":\"x.io/v1\",\"metadata\":{\"name\":\"a\\u001b[31m\\n"
                        + "b\"}}"))
            .build());
  }

  private String printed() {
    String text = out.toString(StandardCharsets.UTF_8);
    out.reset();
    return text;
  }

  private TableOutput table(RowStyle style) {
    return new TableOutput(out, CLOCK, TableShape.of(), style, TypeColumns::of);
  }

  private void write(EventOutput output) throws IOException {
    output.write(Part.SNAPSHOT, event(EventType.EVENT_TYPE_ADDED, "a"));
    output.write(Part.CHANGES, event(EventType.EVENT_TYPE_ADDED, "b"));
    output.write(Part.CHANGES, event(EventType.EVENT_TYPE_MODIFIED, "b"));
    output.write(Part.CHANGES, event(EventType.EVENT_TYPE_DELETED, "b"));
  }

  /** Colors of xterm, whose green and yellow are the brightest of the usual terminals. */
  private static final Map<String, Integer> XTERM =
      Map.of(
          "31", 0xcd0000, "32", 0x00cd00, "33", 0xcdcd00, "34", 0x0000ee, "35", 0xcd00cd, "36",
          0x00cdcd, "37", 0xe5e5e5);

  /** Returns the contrast of two colors as WCAG 2 defines it. */
  private static double contrast(int one, int other) {
    double a = luminance(one) + 0.05;
    double b = luminance(other) + 0.05;
    return Math.max(a, b) / Math.min(a, b);
  }

  private static double luminance(int color) {
    return 0.2126 * linear(color >> 16 & 255)
        + 0.7152 * linear(color >> 8 & 255)
        + 0.0722 * linear(color & 255);
  }

  private static double linear(int part) {
    double share = part / 255.0;
    return share <= 0.04045 ? share / 12.92 : Math.pow((share + 0.055) / 1.055, 2.4);
  }

  @Test
  void colors_areReadableOnWhiteAndOnBlack() {
    assertThat(
            List.of(
                EventType.EVENT_TYPE_ADDED,
                EventType.EVENT_TYPE_MODIFIED,
                EventType.EVENT_TYPE_DELETED))
        .extracting(type -> RowStyle.COLORS.paint(type, "x").replaceAll("\033\\[(\\d+)mx.*", "$1"))
        .doesNotHaveDuplicates()
        .allSatisfy(
            code -> {
              assertThat(contrast(XTERM.getOrDefault(code, 0x808080), 0xffffff))
                  .as(code)
                  .isGreaterThan(2);
              assertThat(contrast(XTERM.getOrDefault(code, 0x808080), 0x000000))
                  .as(code)
                  .isGreaterThan(3);
            });
  }

  @Test
  void signs_distinguishChangesFromSnapshot() throws IOException {
    write(table(RowStyle.SIGNS));

    assertThat(printed())
        .isEqualTo(
            """
              NAME   AGE
              a      <unknown>
            + b      <unknown>
            ~ b      <unknown>
            - b      <unknown>
            """);
  }

  @Test
  void colors_addToSigns() throws IOException {
    write(table(RowStyle.COLORS));

    assertThat(printed())
        .isEqualTo(
            """
            \033[1m  NAME   AGE\033[0m
              a      <unknown>
            \033[32m+ b      <unknown>\033[0m
            \033[35m~ b      <unknown>\033[0m
            \033[31m- b      <unknown>\033[0m
            """);
  }

  @Test
  void plain_isTextOnly() throws IOException {
    write(table(RowStyle.PLAIN));

    assertThat(printed()).doesNotContain("\033", "+", "~").startsWith("NAME   AGE\na      <");
  }

  @Test
  void controlCharacters_areEscapedOnTerminal() throws IOException, JsonPathException {
    String evil = "a\033]0;title\007\r\u009b31m\u202e\nb";
    for (EventOutput output :
        List.of(
            table(RowStyle.COLORS),
            table(RowStyle.PLAIN),
            new NameOutput(out, RowStyle.COLORS),
            new DiffOutput(out, RowStyle.COLORS))) {
      output.write(Part.SNAPSHOT, event(EventType.EVENT_TYPE_ADDED, evil));

      assertThat(printed())
          .contains("a\\u001b]0;title\\u0007\\r\\u009b31m\\u202e\\nb")
          .doesNotContain("\033]", "\007", "\r", "\u009b", "\u202e");
    }
    JsonPathTemplate template = JsonPathTemplate.parse("{.metadata.name}");
    new JsonPathOutput(out, template, RowStyle.SIGNS)
        .write(Part.SNAPSHOT, event(EventType.EVENT_TYPE_ADDED, "a"));
    assertThat(printed()).isEqualTo("  a\\u001b[31m\nb\n");
    new JsonPathOutput(out, template, RowStyle.PLAIN)
        .write(Part.SNAPSHOT, event(EventType.EVENT_TYPE_ADDED, "a"));
    assertThat(printed()).as("for a program").isEqualTo("a\033[31m\nb\n");
  }
}
