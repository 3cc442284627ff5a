package io.watchgate.informer;

import com.google.protobuf.ByteString;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One state of an object in an informer's store. Immutable unless a program modifies the decoded
 * object, which all readers share.
 *
 * @param <T> type of the decoded object
 */
public final class StoredObject<T> {
  private final NamespacedName key;

  /** The two halves of the uid; as a string it would be a large part of the memory of an entry. */
  private final long uidHigh;

  private final long uidLow;

  /** Uid that is not a UUID in Kubernetes' notation; null: the uid is a UUID. */
  private final @Nullable String otherUid;

  private final String resourceVersion;
  private final T value;

  /** JSON that patches apply to; null if no patches were requested. */
  final @Nullable ByteString json;

  /** Hash of the JSON as it was received or patched. */
  private final int jsonHash;

  /** Values of each index, in the order given to the informer. */
  final List<Set<String>> indexValues;

  StoredObject(
      NamespacedName key,
      String uid,
      String resourceVersion,
      T value,
      @Nullable ByteString json,
      int jsonHash) {
    this.key = key;
    @Nullable UUID halves = halves(uid);
    this.uidHigh = halves == null ? 0 : halves.getMostSignificantBits();
    this.uidLow = halves == null ? 0 : halves.getLeastSignificantBits();
    this.otherUid = halves == null ? uid : null;
    this.resourceVersion = resourceVersion;
    this.value = value;
    this.json = json;
    this.jsonHash = jsonHash;
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
    this.jsonHash = other.jsonHash;
    this.indexValues = indexValues;
  }

  /** Returns a copy with the values of the indexes. */
  StoredObject<T> indexed(List<Set<String>> values) {
    return new StoredObject<>(this, values);
  }

  public NamespacedName key() {
    return key;
  }

  /** Returns the uid, which no earlier or later object with the same key shares. */
  public String uid() {
    return otherUid == null ? new UUID(uidHigh, uidLow).toString() : otherUid;
  }

  /** Returns the uid as UUID; null if its text is not preserved by that. */
  private static @Nullable UUID halves(String uid) {
    try {
      UUID halves = UUID.fromString(uid);
      return halves.toString().equals(uid) ? halves : null;
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /** Returns the version: decimal digits of any length; see {@link ResourceVersions#compare}. */
  public String resourceVersion() {
    return resourceVersion;
  }

  /** Returns the decoded object. */
  public T value() {
    return value;
  }

  /**
   * Returns whether this is the state of that JSON. The result of a patch is equal as a value, and
   * may have other bytes.
   */
  boolean hasJson(ByteString other) {
    return jsonHash == other.hashCode() || (json != null && JsonPatch.areEqual(json, other));
  }

  boolean isOf(String other) {
    return uid().equals(other);
  }

  /** Returns key and version; never the object, which may hold secrets. */
  @Override
  public String toString() {
    return key + " at " + resourceVersion;
  }
}
