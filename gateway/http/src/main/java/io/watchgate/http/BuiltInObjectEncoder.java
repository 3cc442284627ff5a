package io.watchgate.http;

import io.watchgate.cache.ApiResource;
import io.watchgate.encode.ByteSlices;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Encoder of the objects of a built-in type, unchanged. In a list the items lack kind and
 * apiVersion, which are the first members of an object; the remaining bytes are the same.
 */
final class BuiltInObjectEncoder implements ObjectEncoder {
  private final ApiResource type;
  private final byte[] kind;

  BuiltInObjectEncoder(ApiResource type) {
    this.type = type;
    this.kind =
        "{\"kind\":\"%s\",\"apiVersion\":\"%s\","
            .formatted(type.kind(), type.apiVersion())
            .getBytes(StandardCharsets.UTF_8);
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
    out.append(
        "{\"kind\":\"%sList\",\"apiVersion\":\"%s\",\"metadata\":%s,\"items\":["
            .formatted(type.kind(), type.apiVersion(), meta.json()));
  }

  @Override
  public void listItem(byte[] object, ByteBuilder out) {
    if (Arrays.mismatch(object, kind) == kind.length) {
      out.append('{').append(object, kind.length, object.length);
    } else {
      out.append(object);
    }
  }
}
