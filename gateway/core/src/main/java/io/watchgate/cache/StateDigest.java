package io.watchgate.cache;

import io.watchgate.json.KubeObject;
import java.nio.ByteBuffer;

/**
 * Fingerprint of {key, uid, resourceVersion} of every object of a type, independent of their order:
 * the sum, in two lanes of 64 bits, of a hash of each. Replicas with the same state have the same
 * digest, and an event updates it in constant time. It detects accidents, not forgeries: positions
 * that carry it are no credential.
 */
public record StateDigest(long high, long low) {
  public static final StateDigest EMPTY = new StateDigest(0, 0);

  /** Number of bytes that {@link #write} writes. */
  public static final int BYTES = 16;

  /** Returns the digest after a change: without the old object, with the new object. */
  StateDigest after(Change change) {
    KubeObject old = change.old();
    KubeObject now = change.now();
    if (old == null || now == null) {
      StateDigest less = old == null ? this : minus(old);
      return now == null ? less : less.plus(now);
    }
    long out = mix(old.fingerprint());
    long in = mix(now.fingerprintAfter(old));
    return new StateDigest(high - second(out) + second(in), low - out + in);
  }

  public StateDigest plus(KubeObject object) {
    long hash = mix(object.fingerprint());
    return new StateDigest(high + second(hash), low + hash);
  }

  public StateDigest minus(KubeObject object) {
    long hash = mix(object.fingerprint());
    return new StateDigest(high - second(hash), low - hash);
  }

  public void write(ByteBuffer target) {
    target.putLong(high).putLong(low);
  }

  public static StateDigest read(ByteBuffer source) {
    return new StateDigest(source.getLong(), source.getLong());
  }

  /**
   * Returns the second lane, a mix of the first. It guards against sums that cancel in one lane,
   * not against equal hashes. Both lanes are part of the token format: they must not change.
   */
  private static long second(long hash) {
    return mix(hash + 0x9e3779b97f4a7c15L);
  }

  private static long mix(long value) {
    value = (value ^ value >>> 30) * 0xbf58476d1ce4e5b9L;
    value = (value ^ value >>> 27) * 0x94d049bb133111ebL;
    return value ^ value >>> 31;
  }
}
