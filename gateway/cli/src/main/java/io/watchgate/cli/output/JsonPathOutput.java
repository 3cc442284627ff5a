package io.watchgate.cli.output;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import io.watchgate.jsonpath.JsonPathTemplate;
import io.watchgate.proto.v1.WatchEvent;
import io.watchgate.table.JsonView;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/**
 * Output with a line for each object, the result of a template. On a terminal, control characters
 * are escaped; a program receives the values unchanged.
 */
public record JsonPathOutput(OutputStream out, JsonPathTemplate template, RowStyle style)
    implements EventOutput {
  @Override
  public void write(Part part, List<WatchEvent> events) throws IOException {
    StringBuilder lines = new StringBuilder();
    for (WatchEvent event : events) {
      JsonElement object = JsonView.of(event.getObject().toByteArray()).element();
      String text = template.apply(object == null ? JsonNull.INSTANCE : object);
      lines
          .append(
              style == RowStyle.PLAIN
                  ? text
                  : style.row(part, event.getType(), TerminalEscaper.inLines(text)))
          .append('\n');
    }
    EventOutput.print(out, lines);
  }
}
