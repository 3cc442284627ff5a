package io.watchgate.informer;

import com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;

/**
 * An object as an informer holds it, in one state. Immutable, as long as nobody changes what the
 * decoder made: that is shared by all who read.
 *
 * @param <T> what objects are decoded to
 */
public final class Stored<T> {
  private final ObjectKey key;
  private final String uid;
  private final String resourceVersion;
  private final T value;

  /** What patches apply to; null where none are asked for. */
  final @Nullable ByteString json;

  Stored(ObjectKey key, String uid, String resourceVersion, T value, @Nullable ByteString json) {
    this.key = key;
    this.uid = uid;
    this.resourceVersion = resourceVersion;
    this.value = value;
    this.json = json;
  }

  public ObjectKey key() {
    return key;
  }

  /** Of this object, and of none before or after it with the same key. */
  public String uid() {
    return uid;
  }

  /** Decimal digits of any length; see {@link ResourceVersions#compare}. */
  public String resourceVersion() {
    return resourceVersion;
  }

  /** What the decoder made of it. */
  public T value() {
    return value;
  }

  boolean isOf(String otherUid) {
    return uid.equals(otherUid);
  }

  /** Key and version; never the object, which may hold secrets. */
  @Override
  public String toString() {
    return key + " at " + resourceVersion;
  }
}
