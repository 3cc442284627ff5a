package io.watchgate.cli.output;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import io.watchgate.proto.v1.WatchEvent;
import io.watchgate.table.JsonView;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/** Output with a YAML document for each event. */
public record YamlOutput(OutputStream out, Content content) implements EventOutput {
  /** Content of a document. */
  public enum Content {
    /** {@code type} and {@code object}, as in JSON lines. */
    EVENT,
    /** The object alone; the documents can be passed to {@code kubectl apply}. */
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
    EventOutput.print(out, text);
  }
}
