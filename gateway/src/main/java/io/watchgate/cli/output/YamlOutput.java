package io.watchgate.cli.output;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import io.watchgate.proto.v1.WatchEvent;
import io.watchgate.table.JsonView;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A YAML document for each event. */
public record YamlOutput(OutputStream out, Content content) implements EventOutput {
  /** What a document holds. */
  public enum Content {
    /** {@code type} and {@code object}, as JSON lines have them. */
    EVENT,
    /** The object alone; several of them can be given to {@code kubectl apply}. */
    OBJECT
  }

  @Override
  public void write(Part part, List<WatchEvent> events) throws IOException {
    StringBuilder text = new StringBuilder();
    for (WatchEvent event : events) {
      JsonElement parsed = JsonView.of(event.getObject().toByteArray()).element();
      JsonElement object = parsed == null ? JsonNull.INSTANCE : parsed;
      text.append("---\n");
      switch (content) {
        case OBJECT -> YamlText.append(text, object);
        case EVENT -> {
          text.append("type: ").append(RowStyle.name(event.getType())).append('\n');
          YamlText.appendMember(text, "object", object, 0);
        }
      }
    }
    out.write(text.toString().getBytes(StandardCharsets.UTF_8));
    out.flush();
  }
}
