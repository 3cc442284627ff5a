package io.watchgate.informer;

import com.google.protobuf.ByteString;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An object as an informer holds it, in one state. Immutable, as long as nobody changes what the
 * decoder made: that is shared by all who read.
 *
 * @param <T> what objects are decoded to
 */
public final class StoredObject<T> {
  private final NamespacedName key;

  /** The uid's two halves: as a text it would be a large part of what an object costs here. */
  private final long uidHigh;

  private final long uidLow;

  /** A uid that is no UUID as Kubernetes writes them; null: it is one. */
  private final @Nullable String otherUid;

  private final String resourceVersion;
  private final T value;

  /** What patches apply to; null where none are asked for. */
  final @Nullable ByteString json;

  /** Values of each index that was given to the informer, in their order. */
  final List<Set<String>> indexValues;

  StoredObject(
      NamespacedName key, String uid, String resourceVersion, T value, @Nullable ByteString json) {
    this.key = key;
    @Nullable UUID halves = halves(uid);
    this.uidHigh = halves == null ? 0 : halves.getMostSignificantBits();
    this.uidLow = halves == null ? 0 : halves.getLeastSignificantBits();
    this.otherUid = halves == null ? uid : null;
    this.resourceVersion = resourceVersion;
    this.value = value;
    this.json = json;
    this.indexValues = List.of();
  }

  private StoredObject(StoredObject<T> other, List<Set<String>> indexValues) {
    this.key = other.key;
    this.uidHigh = other.uidHigh;
    this.uidLow = other.uidLow;
    this.otherUid = other.otherUid;
    this.resourceVersion = other.resourceVersion;
    this.value = other.value;
    this.json = other.json;
    this.indexValues = indexValues;
  }

  /** This with values under which indexes have it. */
  StoredObject<T> indexed(List<Set<String>> values) {
    return new StoredObject<>(this, values);
  }

  public NamespacedName key() {
    return key;
  }

  /** Of this object, and of none before or after it with the same key. */
  public String uid() {
    return otherUid == null ? new UUID(uidHigh, uidLow).toString() : otherUid;
  }

  /** Null: the text says more than that. */
  private static @Nullable UUID halves(String uid) {
    try {
      UUID halves = UUID.fromString(uid);
      return halves.toString().equals(uid) ? halves : null;
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /** Decimal digits of any length; see {@link ResourceVersions#compare}. */
  public String resourceVersion() {
    return resourceVersion;
  }

  /** What the decoder made of it. */
  public T value() {
    return value;
  }

  boolean isOf(String other) {
    return uid().equals(other);
  }

  /** Key and version; never the object, which may hold secrets. */
  @Override
  public String toString() {
    return key + " at " + resourceVersion;
  }
}
