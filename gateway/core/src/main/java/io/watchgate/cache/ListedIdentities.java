package io.watchgate.cache;

import io.watchgate.json.KubeObject;
import java.util.ArrayList;
import java.util.List;

/**
 * {@link MetadataDigest} that keeps the identities of the objects too, some 200 bytes each, for an
 * exact comparison with a state. It keeps none of a list that has more objects than can be
 * compared.
 */
final class ListedIdentities extends MetadataDigest {
  private final int limit;
  private final List<Identity> objects = new ArrayList<>();

  private static final class Identity {
    final byte[] key;
    final String uid;
    final String version;

    Identity(KubeObject object) {
      this.key = object.key();
      this.uid = object.uid();
      this.version = object.resourceVersion();
    }
  }

  /**
   * @param limit maximum number of objects to compare
   */
  ListedIdentities(SkippedObjects skipped, int limit) {
    super(skipped);
    this.limit = limit;
  }

  @Override
  void add(KubeObject object) {
    super.add(object);
    if (count() > limit) {
      objects.clear();
    } else {
      objects.add(new Identity(object));
    }
  }

  /**
   * Returns whether the state has exactly these objects. The digest only saves comparisons: two
   * states may have the same one.
   */
  boolean equalsStateOf(Revision revision) {
    StateMap state = revision.state();
    return count() <= limit
        && count() == state.size()
        && digest().equals(revision.digest())
        && objects.stream().allMatch(object -> has(state, object));
  }

  private static boolean has(StateMap state, Identity listed) {
    KubeObject held = state.get(listed.key);
    return held != null
        && held.uid().equals(listed.uid)
        && held.resourceVersion().equals(listed.version);
  }
}
