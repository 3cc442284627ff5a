package io.watchgate.cli.output;

import com.google.protobuf.ByteString;
import io.watchgate.browser.WatchEventJson;
import io.watchgate.proto.v1.WatchEvent;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/**
 * Output with a line {@code {"type":…,"object":…}} for each event, with the object's bytes as
 * received.
 */
public record JsonOutput(OutputStream out) implements EventOutput {
  @Override
  public void write(Part part, List<WatchEvent> events) throws IOException {
    ByteString.Output lines = ByteString.newOutput();
    for (WatchEvent event : events) {
      WatchEventJson.of(event).writeTo(lines);
      lines.write('\n');
    }
    lines.toByteString().writeTo(out);
    out.flush();
  }
}
