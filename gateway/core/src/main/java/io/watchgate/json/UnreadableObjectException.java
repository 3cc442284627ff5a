package io.watchgate.json;

import java.util.Arrays;
import java.util.Optional;

/** Error for an object that cannot be served, with its identity if that could be read. */
public final class UnreadableObjectException extends JsonException {
  private final byte[] key;
  private final String resourceVersion;

  /**
   * @param key as {@link KubeObject#key}; empty if the object does not contain its complete key
   * @param resourceVersion may be empty, or no version at all
   */
  public UnreadableObjectException(String message, Optional<byte[]> key, String resourceVersion) {
    super(message);
    this.key = key.orElseGet(() -> new byte[0]);
    this.resourceVersion = resourceVersion;
  }

  /** Returns the key as {@link KubeObject#key}, if it could be read. */
  public Optional<byte[]> key() {
    return key.length == 0 ? Optional.empty() : Optional.of(Arrays.copyOf(key, key.length));
  }

  /** Returns the version; may be empty, or no version at all. */
  public String resourceVersion() {
    return resourceVersion;
  }
}
