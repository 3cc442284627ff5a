package io.watchgate.cache;

import io.watchgate.json.FieldPaths;
import io.watchgate.json.KubeObject;
import io.watchgate.json.UnreadableObjectException;

/**
 * Digest and number of the objects of a list, of which only the metadata is looked at. Objects that
 * are left out of the held state are left out here, too.
 */
final class MetadataDigest implements Upstream.ItemSink {
  private final SkippedObjects skipped;
  private StateDigest digest = StateDigest.EMPTY;
  private long count;

  MetadataDigest(SkippedObjects skipped) {
    this.skipped = skipped;
  }

  @Override
  public void item(byte[] object) {
    KubeObject view;
    try {
      view = ListCollector.read(object, FieldPaths.NONE);
    } catch (UnreadableObjectException e) {
      return; // nor is it held
    }
    if (!skipped.has(view.key())) {
      digest = digest.plus(view);
      count++;
    }
  }

  StateDigest digest() {
    return digest;
  }

  long count() {
    return count;
  }
}
