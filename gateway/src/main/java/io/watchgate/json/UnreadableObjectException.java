package io.watchgate.json;

import java.util.Arrays;
import java.util.Optional;

/** An object that cannot be served, and which one it is as far as that was read. */
public final class UnreadableObjectException extends JsonException {
  private static final long serialVersionUID = 1;

  private final byte[] key;
  private final String resourceVersion;

  /**
   * @param key as {@link KubeObject#key}; empty if the object does not say whole which one it is
   * @param resourceVersion may be empty, or no version at all
   */
  public UnreadableObjectException(String message, Optional<byte[]> key, String resourceVersion) {
    super(message);
    this.key = key.orElseGet(() -> new byte[0]);
    this.resourceVersion = resourceVersion;
  }

  /** As {@link KubeObject#key}. */
  public Optional<byte[]> key() {
    return key.length == 0 ? Optional.empty() : Optional.of(Arrays.copyOf(key, key.length));
  }

  /** May be empty, or no version at all. */
  public String resourceVersion() {
    return resourceVersion;
  }
}
