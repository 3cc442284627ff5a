package io.watchgate.cache;

import io.watchgate.json.FieldPaths;
import io.watchgate.json.KubeObject;
import io.watchgate.json.UnreadableObjectException;

/**
 * Digest and count of the objects of a list, made from their metadata only. Objects that are left
 * out of the cached state are left out here, too.
 */
class MetadataDigest implements Upstream.ItemSink {
  private final SkippedObjects skipped;
  private StateDigest digest = StateDigest.EMPTY;
  private long count;

  MetadataDigest(SkippedObjects skipped) {
    this.skipped = skipped;
  }

  @Override
  public final void item(byte[] object) {
    KubeObject view;
    try {
      view = ListCollector.read(object, FieldPaths.NONE);
    } catch (UnreadableObjectException e) {
      return; // the cache skips it as well
    }
    if (!skipped.contains(view.key())) {
      add(view);
    }
  }

  /** Takes in an object that the cached state should have. */
  void add(KubeObject object) {
    digest = digest.plus(object);
    count++;
  }

  final StateDigest digest() {
    return digest;
  }

  final long count() {
    return count;
  }
}
