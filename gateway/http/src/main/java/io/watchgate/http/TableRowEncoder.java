package io.watchgate.http;

import com.google.gson.JsonArray;
import io.watchgate.cache.TimeSource;
import io.watchgate.encode.ByteSlices;
import io.watchgate.table.ColumnDefinition;
import io.watchgate.table.JsonView;
import io.watchgate.table.TypeColumns;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Encoder of objects as rows of a {@code Table}, with the cells that kubectl prints. The columns
 * are sent once: with the first object of a watch, or at the head of a list.
 */
final class TableRowEncoder implements ObjectEncoder {
  private static final byte[] NO_COLUMNS =
      "\"columnDefinitions\":null".getBytes(StandardCharsets.US_ASCII);

  private final String apiVersion;
  private final TypeColumns columns;
  private final TimeSource time;
  private final ObjectEncoder objects;
  private boolean columnsSent;

  /**
   * @param objects encoder of the object beside its cells
   */
  TableRowEncoder(String apiVersion, TypeColumns columns, TimeSource time, ObjectEncoder objects) {
    this.apiVersion = apiVersion;
    this.columns = columns;
    this.time = time;
    this.objects = objects;
  }

  /**
   * Returns an encoder of the frames that watches share, without columns. Each watch inserts them
   * into its first frame.
   */
  TableRowEncoder ofFrames() {
    TableRowEncoder frames = new TableRowEncoder(apiVersion, columns, time, objects);
    frames.columnsSent = true;
    return frames;
  }

  /** Returns the definitions of the columns. */
  ByteSlices columns() {
    return ByteSlices.of(HttpJsonText.of(definitions()).getBytes(StandardCharsets.UTF_8));
  }

  /** Returns frames of which the first has columns. */
  static byte[] withColumns(byte[] frames, ByteSlices columns) {
    int at = 0; // before it are only a kind and versions, so it is the first match
    while (!Arrays.equals(frames, at, at + NO_COLUMNS.length, NO_COLUMNS, 0, NO_COLUMNS.length)) {
      at++;
    }
    int from = at + NO_COLUMNS.length - "null".length();
    return new ByteBuilder(frames.length + columns.size())
        .append(frames, 0, from)
        .append(columns.toByteArray())
        .append(frames, from + "null".length(), frames.length)
        .toArray();
  }

  @Override
  public void object(byte[] object, ByteBuilder out) {
    JsonView view = JsonView.of(object);
    String version = view.get("metadata", "resourceVersion").text();
    head("{\"resourceVersion\":" + HttpJsonText.quoted(version) + "}", out);
    row(object, view, out);
    out.append("]}");
  }

  private void head(String metadata, ByteBuilder out) {
    out.append("{\"kind\":\"Table\",\"apiVersion\":\"" + apiVersion + "\",\"metadata\":")
        .append(metadata)
        .append(",\"columnDefinitions\":")
        .append(columnsSent ? "null" : HttpJsonText.of(definitions()))
        .append(",\"rows\":[");
    columnsSent = true;
  }

  private JsonArray definitions() {
    JsonArray definitions = new JsonArray();
    for (ColumnDefinition column : columns.definitions()) {
      definitions.add(
          JsonObjects.of(
              "name", column.name(),
              "type", column.type(),
              "format", column.format(),
              "description", column.description(),
              "priority", column.priority()));
    }
    return definitions;
  }

  private void row(byte[] object, JsonView view, ByteBuilder out) {
    JsonArray cells = new JsonArray();
    columns.cells(view, time.now()).forEach(cells::add);
    out.append("{\"cells\":").append(HttpJsonText.of(cells)).append(",\"object\":");
    objects.object(object, out);
    out.append('}');
  }

  @Override
  public void listHead(ListMeta meta, ByteBuilder out) {
    head(meta.json(), out);
  }

  @Override
  public void listItem(byte[] object, ByteBuilder out) {
    row(object, JsonView.of(object), out);
  }
}
