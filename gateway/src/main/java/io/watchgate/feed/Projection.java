package io.watchgate.feed;

import io.watchgate.json.ObjectView;
import java.nio.charset.StandardCharsets;

/** How an object is sent. What is sent are slices of the cache's own bytes, never copies. */
public enum Projection {
  FULL {
    @Override
    Slices body(ObjectView object) {
      return Slices.of(object.bytes());
    }

    @Override
    Slices body(ObjectView object, String version) {
      return with(version, object, new Slices.Builder(3), 0, object.bytes().length).build();
    }
  },
  NO_MANAGED_FIELDS {
    @Override
    Slices body(ObjectView object) {
      byte[] bytes = object.bytes();
      return new Slices.Builder(2)
          .add(bytes, 0, object.managedFieldsFrom())
          .add(bytes, object.managedFieldsTo(), bytes.length)
          .build();
    }

    @Override
    Slices body(ObjectView object, String version) {
      int from = object.managedFieldsFrom();
      int to = object.managedFieldsTo();
      byte[] bytes = object.bytes();
      Slices.Builder body = new Slices.Builder(4);
      if (from == to) {
        return with(version, object, body, 0, bytes.length).build();
      }
      return from < object.versionFrom()
          ? with(version, object, body.add(bytes, 0, from), to, bytes.length).build()
          : with(version, object, body, 0, from).add(bytes, to, bytes.length).build();
    }
  };

  /** The object as it stands. */
  abstract Slices body(ObjectView object);

  /**
   * The object with another resourceVersion: what a DELETED carries, its state before and the
   * version of the change.
   */
  abstract Slices body(ObjectView object, String version);

  private static Slices.Builder with(
      String version, ObjectView object, Slices.Builder body, int from, int to) {
    byte[] bytes = object.bytes();
    return body.add(bytes, from, object.versionFrom())
        .add(version.getBytes(StandardCharsets.US_ASCII))
        .add(bytes, object.versionTo(), to);
  }
}
