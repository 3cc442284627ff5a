package io.watchgate.json;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Finder of the JSON patch (RFC 6902, with add, remove and replace) that turns one document into
 * another, as JSON values. Equal texts are skipped unread, and values are split only into texts, so
 * that numbers keep all their digits. If the changes inside a value are longer than the value, the
 * complete value is replaced.
 *
 * <p><b>Rejected.</b> The shortest patch: it needs the edit distance of trees, but typical changes
 * of Kubernetes objects are a few leaves, or added and removed elements.
 */
public final class JsonDiff {
  /** Maximum number of comparisons of array elements for all arrays of a document: 1 ms. */
  private static final int COMPARISONS = 1 << 18;

  private final JsonIndex before;
  private final JsonIndex after;
  private final PatchWriter patch = new PatchWriter();
  private int comparisons = COMPARISONS;

  private JsonDiff(JsonIndex before, JsonIndex after) {
    this.before = before;
    this.after = after;
  }

  /** Thrown if an object has a duplicate name. */
  private static final class Ambiguous extends Exception {
    Ambiguous() {
      super(null, null, false, false);
    }
  }

  /**
   * Returns the patch that turns {@code before} into {@code after}. Returns empty if clients could
   * interpret a patch differently: if a document is not JSON or is nested deeper than 64, or if a
   * changed object has a duplicate name.
   */
  public static Optional<byte[]> between(byte[] before, byte[] after) {
    try {
      JsonDiff diff = new JsonDiff(JsonIndex.of(before), JsonIndex.of(after));
      diff.values(0, 0);
      return Optional.of(diff.patch.finish());
    } catch (JsonException | Ambiguous e) {
      return Optional.empty();
    }
  }

  private void values(int old, int now) throws JsonException, Ambiguous {
    if (before.isSameText(old, after, now)) {
      return;
    }
    int begin = patch.length();
    int limit = begin + patch.replaceLength(after, now);
    if (before.isObject(old) && after.isObject(now)) {
      members(old, now, limit);
    } else if (before.isArray(old) && after.isArray(now)) {
      elements(before.children(old), after.children(now), limit);
    } else {
      patch.replace(after, now);
      return;
    }
    if (patch.length() > limit) {
      patch.truncate(begin);
      patch.replace(after, now);
    }
  }

  /**
   * @param limit length of the patch above which the value is replaced, and nothing more is
   *     written: each operation repeats the path, which may be as long as the object
   */
  private void members(int old, int now, int limit) throws JsonException, Ambiguous {
    int here = patch.pathLength();
    Map<String, Integer> left = new HashMap<>();
    for (int member : before.children(old)) {
      if (left.put(before.name(member), member) != null) {
        throw new Ambiguous();
      }
    }
    Map<String, Integer> met = new HashMap<>();
    for (int member : after.children(now)) {
      String name = after.name(member);
      if (met.put(name, member) != null) {
        throw new Ambiguous();
      }
      Integer was = left.remove(name);
      patch.enter(after, member);
      if (was == null) {
        patch.add(after, member);
      } else {
        values(was, member);
      }
      patch.truncatePath(here);
      if (patch.length() > limit) {
        return;
      }
    }
    for (int gone : left.values()) {
      patch.enter(before, gone);
      patch.remove();
      patch.truncatePath(here);
      if (patch.length() > limit) {
        return;
      }
    }
  }

  private void elements(int[] old, int[] now, int limit) throws JsonException, Ambiguous {
    ArrayDiff pairs = ArrayDiff.of(before, old, after, now, comparisons);
    comparisons -= pairs.comparisons();
    int oldAt = 0;
    int nowAt = 0;
    while (patch.length() <= limit && (oldAt < old.length || nowAt < now.length)) {
      int oldEnd = pairs.nextOld(oldAt);
      int nowEnd = pairs.nextNow(oldEnd);
      diffRun(old, oldAt, oldEnd, now, nowAt, nowEnd, limit);
      oldAt = oldEnd + 1;
      nowAt = nowEnd + 1;
    }
  }

  /**
   * Compares the elements between two pairs of equal elements. As many elements as the shorter side
   * has are changed in place; the rest is added or removed behind them. All elements before are
   * final already, so that indices are those of the new array.
   */
  private void diffRun(
      int[] old, int oldFrom, int oldTo, int[] now, int nowFrom, int nowTo, int limit)
      throws JsonException, Ambiguous {
    int here = patch.pathLength();
    int both = Math.min(oldTo - oldFrom, nowTo - nowFrom);
    for (int i = 0; i < both && patch.length() <= limit; i++) {
      patch.enter(nowFrom + i);
      values(old[oldFrom + i], now[nowFrom + i]);
      patch.truncatePath(here);
    }
    for (int i = oldTo - oldFrom - 1; i >= both && patch.length() <= limit; i--) {
      patch.enter(nowFrom + i);
      patch.remove();
      patch.truncatePath(here);
    }
    for (int i = nowFrom + both; i < nowTo && patch.length() <= limit; i++) {
      patch.enter(i);
      patch.add(after, now[i]);
      patch.truncatePath(here);
    }
  }
}
