package io.watchgate.cache;

import io.watchgate.json.FieldPaths;
import io.watchgate.json.KubeObject;
import io.watchgate.json.UnreadableObjectException;
import java.util.ArrayList;
import java.util.List;

/**
 * Listed key, uid and version of each object, for an exact comparison with a state. Objects that
 * are left out of the cached state are left out here, too. For one list; not thread-safe.
 */
final class MetadataList implements Upstream.ItemSink {
  private final SkippedObjects skipped;
  private final List<KubeObject> objects = new ArrayList<>();
  private StateDigest digest = StateDigest.EMPTY;

  MetadataList(SkippedObjects skipped) {
    this.skipped = skipped;
  }

  @Override
  public void item(byte[] object) {
    KubeObject view;
    try {
      view = ListCollector.read(object, FieldPaths.NONE);
    } catch (UnreadableObjectException e) {
      return; // the cache skips it as well
    }
    if (!skipped.contains(view.key())) {
      digest = digest.plus(view);
      objects.add(view);
    }
  }

  /**
   * Returns whether the state has exactly these objects. The digest only saves comparisons: two
   * states may have the same one.
   */
  boolean equalsStateOf(Revision revision) {
    StateMap state = revision.state();
    return objects.size() == state.size()
        && digest.equals(revision.digest())
        && objects.stream().allMatch(object -> has(state, object));
  }

  private static boolean has(StateMap state, KubeObject listed) {
    KubeObject held = state.get(listed.key());
    return held != null
        && held.uid().equals(listed.uid())
        && held.resourceVersion().equals(listed.resourceVersion());
  }
}
