package io.watchgate.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.watchgate.cli.output.EventOutput.Part;
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
import org.junit.jupiter.api.Test;

class TableOutputTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private static WatchEvent event(String kind, String name) {
    return WatchEvent.newBuilder()
        .setType(EventType.EVENT_TYPE_MODIFIED)
        .setKey(ObjectKey.newBuilder().setNamespace("ns").setName(name))
        .setObject(
            ByteString.copyFromUtf8(
                "{\"kind\":\"%s\",\"apiVersion\":\"example.com/v1\"}".formatted(kind)))
        .build();
  }

  @Test
  void rowsOfAnotherType_haveTheirHeaderAgain() throws IOException {
    TableOutput table =
        new TableOutput(
            out,
            InstantSource.fixed(Instant.EPOCH),
            TableShape.of(TableShape.Extra.KIND),
            RowStyle.SIGNS,
            TypeColumns::of);
    for (WatchEvent event : List.of(event("A", "x"), event("B", "y"), event("A", "z"))) {
      table.write(Part.CHANGES, List.of(event));
    }

    assertThat(out.toString(StandardCharsets.UTF_8))
        .isEqualTo(
            """
              NAME              AGE
            ~ a.example.com/x   <unknown>

              NAME              AGE
            ~ b.example.com/y   <unknown>
              NAME              AGE
            ~ a.example.com/z   <unknown>
            """);
  }
}
