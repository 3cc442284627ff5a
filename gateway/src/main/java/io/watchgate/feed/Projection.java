package io.watchgate.feed;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.watchgate.json.ObjectView;

/** How an object is sent. What is sent are slices of the cache's own bytes, never copies. */
public enum Projection {
  FULL {
    @Override
    ByteString body(ObjectView object) {
      return slice(object, 0, object.bytes().length);
    }

    @Override
    ByteString body(ObjectView object, String version) {
      return withVersion(object, version, 0, object.bytes().length);
    }
  },
  NO_MANAGED_FIELDS {
    @Override
    ByteString body(ObjectView object) {
      int from = object.managedFieldsFrom();
      int to = object.managedFieldsTo();
      int length = object.bytes().length;
      return from == to
          ? slice(object, 0, length)
          : slice(object, 0, from).concat(slice(object, to, length));
    }

    @Override
    ByteString body(ObjectView object, String version) {
      int from = object.managedFieldsFrom();
      int to = object.managedFieldsTo();
      int length = object.bytes().length;
      if (from == to) {
        return withVersion(object, version, 0, length);
      }
      return from < object.versionFrom()
          ? slice(object, 0, from).concat(withVersion(object, version, to, length))
          : withVersion(object, version, 0, from).concat(slice(object, to, length));
    }
  };

  /** The object as it stands. */
  abstract ByteString body(ObjectView object);

  /**
   * The object with another resourceVersion: what a DELETED carries, its state before and the
   * version of the change.
   */
  abstract ByteString body(ObjectView object, String version);

  private static ByteString withVersion(ObjectView object, String version, int from, int to) {
    return slice(object, from, object.versionFrom())
        .concat(ByteString.copyFromUtf8(version))
        .concat(slice(object, object.versionTo(), to));
  }

  private static ByteString slice(ObjectView object, int from, int to) {
    return UnsafeByteOperations.unsafeWrap(object.bytes(), from, to - from);
  }
}
