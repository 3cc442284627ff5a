package io.watchgate.http;

import io.watchgate.cache.ApiResource;
import io.watchgate.encode.ByteSlices;

/**
 * Encoder of custom resources, unchanged. The keys of their lists are sorted, so metadata is last.
 */
final class CustomObjectEncoder implements ObjectEncoder {
  private final ApiResource type;

  CustomObjectEncoder(ApiResource type) {
    this.type = type;
  }

  @Override
  public void object(byte[] object, ByteBuilder out) {
    out.append(object);
  }

  @Override
  public ByteSlices slices(ByteSlices object) {
    return object;
  }

  @Override
  public void listHead(ListMeta meta, ByteBuilder out) {
    out.append("{\"apiVersion\":\"%s\",\"items\":[".formatted(type.apiVersion()));
  }

  @Override
  public void listTail(ListMeta meta, ByteBuilder out) {
    String remaining =
        meta.remaining() == null ? "" : "\"remainingItemCount\":" + meta.remaining() + ",";
    out.append(
        "],\"kind\":\"%sList\",\"metadata\":{\"continue\":%s,%s\"resourceVersion\":%s}}\n"
            .formatted(
                type.kind(),
                HttpJsonText.quoted(meta.continueToken()),
                remaining,
                HttpJsonText.quoted(meta.version())));
  }
}
