package io.watchgate.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.watchgate.cli.output.EventOutput.Part;
import io.watchgate.cli.output.TableShape.Extra;
import io.watchgate.cli.output.TableShape.Header;
import io.watchgate.jsonpath.JsonPath;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.ObjectKey;
import io.watchgate.proto.v1.WatchEvent;
import io.watchgate.table.TypeColumns;
import io.watchgate.table.TypeColumns.Width;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests of the columns beside those of the type. */
final class TableShapeTest {
  private static final InstantSource CLOCK =
      InstantSource.fixed(Instant.parse("2026-01-01T00:00:05.123456Z"));

  private static WatchEvent pod(String name, String metadata, String spec) {
    String json =
        """
        {"apiVersion":"example.com/v1","kind":"Setting",
         "metadata":{"name":"%s","creationTimestamp":"2026-01-01T00:00:00Z"%s},"spec":%s}\
        """
            .formatted(name, metadata, spec);
    return WatchEvent.newBuilder()
        .setType(EventType.EVENT_TYPE_ADDED)
        .setKey(ObjectKey.newBuilder().setNamespace("shop").setName(name))
        .setObject(ByteString.copyFromUtf8(json))
        .build();
  }

  private static String printed(TableShape shape, WatchEvent... events) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    new TableOutput(out, CLOCK, shape, RowStyle.PLAIN, TypeColumns::of)
        .write(Part.SNAPSHOT, List.of(events));
    return out.toString(StandardCharsets.UTF_8);
  }

  @Test
  void labels_areSortedInLastColumn_noneWithoutAny() throws Exception {
    assertThat(
            printed(
                TableShape.of(Extra.LABELS),
                pod("web-1", ",\"labels\":{\"tier\":\"front\",\"app\":\"web\"}", "{}"),
                pod("web-2", "", "{}")))
        .isEqualTo(
            """
            NAME    AGE   LABELS
            web-1   5s    app=web,tier=front
            web-2   5s    <none>
            """);
  }

  @Test
  void labelKeys_areColumnsNamedByTheirLastPart() throws Exception {
    TableShape shape =
        new TableShape(
            Set.of(Extra.LABELS),
            Width.NARROW,
            List.of(),
            List.of("app.kubernetes.io/name", "tier"),
            Header.PRINTED);
    assertThat(
            printed(shape, pod("web-1", ",\"labels\":{\"app.kubernetes.io/name\":\"web\"}", "{}")))
        .isEqualTo(
            """
            NAME    AGE   NAME   TIER   LABELS
            web-1   5s    web           app.kubernetes.io/name=web
            """);
  }

  @Test
  void customColumns_replaceThoseOfTheType() throws Exception {
    TableShape shape =
        new TableShape(
            Set.of(Extra.EVENT),
            Width.NARROW,
            List.of(
                new PathColumn("POD", JsonPath.parse(".metadata.name")),
                new PathColumn("PORTS", JsonPath.parse(".spec.ports[*]")),
                new PathColumn("NODE", JsonPath.parse(".spec.nodeName"))),
            List.of(),
            Header.PRINTED);
    assertThat(printed(shape, pod("web-1", "", "{\"ports\":[80,443]}")))
        .isEqualTo(
            """
            EVENT      POD     PORTS    NODE
            ADDED      web-1   80,443   <none>
            """);
  }

  @Test
  void timeColumn_hasMilliseconds_headerIsOmitted() throws Exception {
    TableShape shape =
        new TableShape(
            Set.of(Extra.TIME, Extra.NAMESPACE),
            Width.NARROW,
            List.of(),
            List.of(),
            Header.OMITTED);
    assertThat(printed(shape, pod("web-1", "", "{}")))
        .isEqualTo("2026-01-01T00:00:05.123Z   shop   web-1   5s\n");
  }
}
