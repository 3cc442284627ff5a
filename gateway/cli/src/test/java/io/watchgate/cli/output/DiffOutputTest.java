package io.watchgate.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import com.google.protobuf.ByteString;
import io.watchgate.cli.output.EventOutput.Part;
import io.watchgate.jsonpath.JsonPathException;
import io.watchgate.jsonpath.JsonPathTemplate;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.ObjectKey;
import io.watchgate.proto.v1.RemovalReason;
import io.watchgate.proto.v1.WatchEvent;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Reported changes of fields, and their format. */
class DiffOutputTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private static List<WatchEvent> event(EventType type, String name, int version, String rest) {
    String object =
        "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"%s\",\"resourceVersion\":\"%d\"},%s}"
            .formatted(name, version, rest);
    return List.of(
        WatchEvent.newBuilder()
            .setType(type)
            .setKey(ObjectKey.newBuilder().setNamespace("ns").setName(name).setUid("u-" + name))
            .setResourceVersion(Integer.toString(version))
            .setObject(ByteString.copyFromUtf8(object))
            .build());
  }

  private String printed() {
    String text = out.toString(StandardCharsets.UTF_8);
    out.reset();
    return text;
  }

  @Test
  void change_isPrintedByField() throws IOException {
    DiffOutput diff = new DiffOutput(out, RowStyle.PLAIN);
    diff.write(
        Part.SNAPSHOT,
        event(
            EventType.EVENT_TYPE_ADDED, "web", 3, "\"status\":{\"phase\":\"Pending\",\"old\":1}"));
    diff.write(
        Part.CHANGES,
        event(
            EventType.EVENT_TYPE_MODIFIED,
            "web",
            4,
            "\"status\":{\"phase\":\"Running\",\"podIP\":\"10.0.0.1\"}"));
    diff.write(Part.CHANGES, event(EventType.EVENT_TYPE_MODIFIED, "other", 5, "\"a\":1"));
    diff.write(Part.CHANGES, event(EventType.EVENT_TYPE_MODIFIED, "other", 6, "\"a\":1"));
    diff.write(Part.CHANGES, event(EventType.EVENT_TYPE_DELETED, "web", 7, "\"a\":1"));
    diff.write(Part.CHANGES, event(EventType.EVENT_TYPE_ADDED, "web", 8, "\"a\":1"));

    assertThat(printed())
        .isEqualTo(
            """
              pod/web in ns at version 3
            ~ pod/web in ns at version 4
                ~ .status.phase: "Pending" → "Running"
                - .status.old: 1
                + .status.podIP: "10.0.0.1"
            ~ pod/other in ns at version 5 (its earlier state is not known)
            ~ pod/other in ns at version 6 (nothing but its version)
            - pod/web in ns at version 7
            + pod/web in ns at version 8
            """);
  }

  @Test
  void deletion_printsRemovalReason() throws IOException {
    DiffOutput diff = new DiffOutput(out, RowStyle.PLAIN);
    for (RemovalReason reason :
        List.of(
            RemovalReason.REMOVAL_REASON_NO_LONGER_MATCHES,
            RemovalReason.REMOVAL_REASON_INFERRED)) {
      diff.write(
          Part.CHANGES,
          event(EventType.EVENT_TYPE_DELETED, "a", 1, "\"a\":1").stream()
              .map(event -> event.toBuilder().setRemovalReason(reason).build())
              .toList());
    }

    assertThat(printed()).contains("(no longer matches)\n", "(found missing)\n");
  }

  @Test
  void colors_followChangeTypes() throws IOException {
    DiffOutput diff = new DiffOutput(out, RowStyle.COLORS);
    diff.write(Part.SNAPSHOT, event(EventType.EVENT_TYPE_ADDED, "web", 3, "\"a\":1"));
    diff.write(Part.CHANGES, event(EventType.EVENT_TYPE_MODIFIED, "web", 4, "\"b\":1"));

    assertThat(printed())
        .isEqualTo(
            """
              pod/web in ns at version 3
            \033[35m~ pod/web in ns at version 4\033[0m
                \033[31m- .a: 1\033[0m
                \033[32m+ .b: 1\033[0m
            """);
  }

  @Test
  void aboveLimit_oldestBodyIsEvicted() throws IOException {
    DiffOutput diff = new DiffOutput(out, RowStyle.PLAIN, 250);
    for (String name : List.of("a", "b", "a", "c")) {
      diff.write(Part.CHANGES, event(EventType.EVENT_TYPE_ADDED, name, 3, "\"x\":1"));
    }
    printed();
    for (String name : List.of("a", "c", "b")) {
      diff.write(Part.CHANGES, event(EventType.EVENT_TYPE_MODIFIED, name, 4, "\"x\":2"));
    }

    assertThat(printed())
        .isEqualTo(
            """
            ~ pod/a in ns at version 4
                ~ .x: 1 → 2
            ~ pod/c in ns at version 4
                ~ .x: 1 → 2
            ~ pod/b in ns at version 4 (its earlier state is not known)
            """);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {"a":{"b.c":1}} | {"a":{"b.c":2}} | ~ .a['b.c']: 1 → 2
          {"a":[{"name":"x","v":1},{"name":"y","v":1}]} | {"a":[{"name":"z"},{"name":"x","v":1},{"name":"y","v":1}]} | + .a[?(@.name=="z")]: {"name":"z"}
          {"a":[{"name":"x","v":1},{"name":"y","v":1}]} | {"a":[{"name":"x","v":1},{"name":"y","v":2}]} | ~ .a[?(@.name=="y")].v: 1 → 2
          {"a":[{"name":"x","v":1},{"name":"y"}]} | {"a":[{"name":"y"},{"name":"x","v":1}]} | ~ .a[*].name: ["x","y"] → ["y","x"]
          {"a":[{"port":80}]} | {"a":[{"port":81},{"port":80}]} | + .a[?(@.port==81)]: {"port":81}
          {"a":[{"name":"x"},{"name":"x","v":1}]} | {"a":[{"name":"x"},{"name":"x","v":2}]} | ~ .a[1].v: 1 → 2
          {"a":[{"v":1}]} | {"a":[{"v":1},{"v":2}]} | + .a[1]: {"v":2}
          {"a":["x"]} | {"a":["x","y"]} | ~ .a: ["x"] → ["x","y"]
          {"a":null} | {} | - .a: null
          {"a":{"b":1}} | {"a":7} | ~ .a: {"b":1} → 7
          {"metadata":{"resourceVersion":"1","managedFields":[1],"x":1}} | {"metadata":{"resourceVersion":"2","x":2}} | ~ .metadata.x: 1 → 2
          """)
  void difference_isMinimal_pathIsJsonPath(String before, String after, String line)
      throws JsonPathException {
    List<FieldChange> changes =
        ObjectDiff.between(JsonParser.parseString(before), JsonParser.parseString(after));

    assertThat(changes).singleElement().extracting(FieldChange::line).isEqualTo(line);
    assertThat(JsonPathTemplate.parse("{" + changes.getFirst().path() + "}")).isNotNull();
  }

  @Test
  void longValue_isCut_controlCharactersEscaped() {
    String line =
        ObjectDiff.between(
                JsonParser.parseString("{\"a\":\"\u009b31m\"}"),
                JsonParser.parseString("{\"a\":\"" + "x".repeat(500) + "\"}"))
            .getFirst()
            .line();

    assertThat(line).contains("\\u009b31m", "… (342 more characters)").hasSizeLessThan(250);
  }
}
