package io.watchgate.cache;

import io.watchgate.json.KubeObject;
import java.util.ArrayList;
import java.util.List;

/** {@link MetadataDigest} that keeps the objects too, for an exact comparison with a state. */
final class MetadataList extends MetadataDigest {
  private final List<KubeObject> objects = new ArrayList<>();

  MetadataList(SkippedObjects skipped) {
    super(skipped);
  }

  @Override
  void add(KubeObject object) {
    super.add(object);
    objects.add(object);
  }

  /**
   * Returns whether the state has exactly these objects. The digest only saves comparisons: two
   * states may have the same one.
   */
  boolean equalsStateOf(Revision revision) {
    StateMap state = revision.state();
    return count() == state.size()
        && digest().equals(revision.digest())
        && objects.stream().allMatch(object -> has(state, object));
  }

  private static boolean has(StateMap state, KubeObject listed) {
    KubeObject held = state.get(listed.key());
    return held != null && held.hasSameStateAs(listed);
  }
}
