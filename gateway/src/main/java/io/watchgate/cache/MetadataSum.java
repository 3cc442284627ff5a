package io.watchgate.cache;

import io.watchgate.json.FieldPaths;
import io.watchgate.json.JsonException;
import io.watchgate.json.ObjectView;

/** Digest and number of the objects of a list, of which only the metadata is looked at. */
final class MetadataSum implements Upstream.ItemSink {
  private Digest digest = Digest.EMPTY;
  private long count;

  @Override
  public void item(byte[] object) {
    try {
      digest = digest.plus(ObjectView.read(object, FieldPaths.NONE));
      count++;
    } catch (JsonException e) {
      throw new ListCollector.Unreadable(
          "an object of a list could not be read: " + e.getMessage());
    }
  }

  Digest digest() {
    return digest;
  }

  long count() {
    return count;
  }
}
