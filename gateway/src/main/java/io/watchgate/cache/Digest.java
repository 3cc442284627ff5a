package io.watchgate.cache;

import io.watchgate.json.ObjectView;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A fingerprint of {key, uid, resourceVersion} of every object of a type, whatever their order: the
 * sum, in two lanes of 64 bits, of a hash of each. Replicas that hold the same state have the same
 * digest, and an event updates it in constant time. It tells accidents apart, not forgeries:
 * positions that carry it are no credential.
 */
public record Digest(long high, long low) {
  public static final Digest EMPTY = new Digest(0, 0);

  /** Bytes of {@link #write}. */
  public static final int BYTES = 16;

  public Digest plus(ObjectView object) {
    long hash = hash(object);
    return new Digest(high + second(hash), low + hash);
  }

  public Digest minus(ObjectView object) {
    long hash = hash(object);
    return new Digest(high - second(hash), low - hash);
  }

  public void write(ByteBuffer target) {
    target.putLong(high).putLong(low);
  }

  public static Digest read(ByteBuffer source) {
    return new Digest(source.getLong(), source.getLong());
  }

  /**
   * FNV-1a with a final mix, over the parts with a separator that none of them can contain. Part of
   * the token format: it stays.
   */
  private static long hash(ObjectView object) {
    long hash = 0xcbf29ce484222325L;
    hash = bytes(hash, object.key());
    hash = bytes(hash, object.uid().getBytes(StandardCharsets.UTF_8));
    hash = bytes(hash, object.resourceVersion().getBytes(StandardCharsets.UTF_8));
    return mix(hash);
  }

  private static long bytes(long hash, byte[] part) {
    for (byte b : part) {
      hash = (hash ^ (b & 0xff)) * 0x100000001b3L;
    }
    return (hash ^ 0x1ff) * 0x100000001b3L;
  }

  /**
   * The second lane is a mix of the first: it guards against sums that cancel in one lane, not
   * against equal hashes.
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
