package io.watchgate.http;

import io.watchgate.json.JsonException;
import io.watchgate.json.JsonRange;
import java.nio.charset.StandardCharsets;

/** Encoder of the metadata of objects, whose bytes stay unchanged. */
final class PartialObjectEncoder implements ObjectEncoder {
  private static final byte[] METADATA = "metadata".getBytes(StandardCharsets.US_ASCII);

  private final String apiVersion;
  private final byte[] head;
  private boolean hasItems;

  PartialObjectEncoder(String apiVersion) {
    this.apiVersion = apiVersion;
    this.head =
        "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"%s\",\"metadata\":"
            .formatted(apiVersion)
            .getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void object(byte[] object, ByteBuilder out) {
    try {
      JsonRange metadata = JsonRange.find(object, METADATA);
      out.append(head);
      if (metadata.equals(JsonRange.NONE)) {
        out.append("{}");
      } else {
        out.append(object, metadata.from(), metadata.to());
      }
      out.append('}');
    } catch (JsonException e) {
      throw new IllegalArgumentException("an object that is no JSON", e);
    }
  }

  @Override
  public void listHead(ListMeta meta, ByteBuilder out) {
    out.append(
        "{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":\"%s\",\"metadata\":%s,\"items\":"
            .formatted(apiVersion, meta.json()));
  }

  @Override
  public void listItem(byte[] object, ByteBuilder out) {
    if (!hasItems) {
      hasItems = true;
      out.append('[');
    }
    object(object, out);
  }

  /** An apiserver sends null instead of an empty list of metadata. */
  @Override
  public void listTail(ListMeta meta, ByteBuilder out) {
    out.append(hasItems ? "]}\n" : "null}\n");
  }
}
