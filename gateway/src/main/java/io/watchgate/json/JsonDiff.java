package io.watchgate.json;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Finds a JSON patch (RFC 6902, of add, remove and replace) that makes one document of another, as
 * JSON values. Texts that are the same are passed over unread, and a value is never taken apart
 * into anything but texts, so that numbers keep all their digits. Where the changes inside a value
 * take more room than the value, it is replaced as a whole.
 *
 * <p><b>Rejected.</b> The shortest patch: it needs the edit distance of trees, and what changes in
 * Kubernetes objects are a few leaves, or elements that come and go.
 */
public final class JsonDiff {
  /** What elements of arrays are compared with each other, in all arrays of a document: 1 ms. */
  private static final int COMPARISONS = 1 << 18;

  private final JsonIndex before;
  private final JsonIndex after;
  private final PatchWriter patch = new PatchWriter();
  private int comparisons = COMPARISONS;

  private JsonDiff(JsonIndex before, JsonIndex after) {
    this.before = before;
    this.after = after;
  }

  /** A name stands twice in one object. */
  private static final class Ambiguous extends Exception {
    private static final long serialVersionUID = 1;

    Ambiguous() {
      super(null, null, false, false);
    }
  }

  /**
   * The patch that turns one document into the other; empty if there is none that every client
   * would understand alike: a document is no JSON, is nested deeper than 64, or an object that
   * changed has a name twice.
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
    if (before.same(old, after, now)) {
      return;
    }
    int begin = patch.length();
    if (before.isObject(old) && after.isObject(now)) {
      members(old, now);
    } else if (before.isArray(old) && after.isArray(now)) {
      elements(before.inside(old), after.inside(now));
    } else {
      patch.replace(after, now);
      return;
    }
    if (patch.length() - begin > patch.replaceLength(after, now)) {
      patch.backTo(begin);
      patch.replace(after, now);
    }
  }

  private void members(int old, int now) throws JsonException, Ambiguous {
    int here = patch.pathLength();
    Map<String, Integer> left = new HashMap<>();
    for (int member : before.inside(old)) {
      if (left.put(before.name(member), member) != null) {
        throw new Ambiguous();
      }
    }
    Map<String, Integer> met = new HashMap<>();
    for (int member : after.inside(now)) {
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
      patch.leaveTo(here);
    }
    for (int gone : left.values()) {
      patch.enter(before, gone);
      patch.remove();
      patch.leaveTo(here);
    }
  }

  private void elements(int[] old, int[] now) throws JsonException, Ambiguous {
    ArrayDiff pairs = ArrayDiff.of(before, old, after, now, comparisons);
    comparisons -= pairs.comparisons();
    int oldAt = 0;
    int nowAt = 0;
    while (oldAt < old.length || nowAt < now.length) {
      int oldEnd = pairs.nextOld(oldAt);
      int nowEnd = pairs.nextNow(oldEnd);
      between(old, oldAt, oldEnd, now, nowAt, nowEnd);
      oldAt = oldEnd + 1;
      nowAt = nowEnd + 1;
    }
  }

  /**
   * Between two pairs of elements that are the same: as many as there are on both sides are changed
   * in place, the others come or go behind them. What stands before is as it will be, so that
   * indices are those of the new array.
   */
  private void between(int[] old, int oldFrom, int oldTo, int[] now, int nowFrom, int nowTo)
      throws JsonException, Ambiguous {
    int here = patch.pathLength();
    int both = Math.min(oldTo - oldFrom, nowTo - nowFrom);
    for (int i = 0; i < both; i++) {
      patch.enter(nowFrom + i);
      values(old[oldFrom + i], now[nowFrom + i]);
      patch.leaveTo(here);
    }
    for (int i = oldTo - oldFrom - 1; i >= both; i--) {
      patch.enter(nowFrom + i);
      patch.remove();
      patch.leaveTo(here);
    }
    for (int i = nowFrom + both; i < nowTo; i++) {
      patch.enter(i);
      patch.add(after, now[i]);
      patch.leaveTo(here);
    }
  }
}
