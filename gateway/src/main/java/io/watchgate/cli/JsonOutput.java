package io.watchgate.cli;

import com.google.protobuf.ByteString;
import io.watchgate.proto.v1.WatchEvent;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/** A line {@code {"type":…,"object":…}} for each event, the object's bytes as they came. */
record JsonOutput(OutputStream out) implements EventOutput {
  @Override
  public void write(List<WatchEvent> events) throws IOException {
    ByteString.Output lines = ByteString.newOutput();
    for (WatchEvent event : events) {
      ByteString.copyFromUtf8("{\"type\":\"" + EventOutput.type(event) + "\",\"object\":")
          .writeTo(lines);
      event.getObject().writeTo(lines);
      ByteString.copyFromUtf8("}\n").writeTo(lines);
    }
    lines.toByteString().writeTo(out);
    out.flush();
  }
}
