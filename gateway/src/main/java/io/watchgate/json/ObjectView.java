package io.watchgate.json;

import org.jspecify.annotations.Nullable;

/**
 * One Kubernetes object: its bytes as the apiserver sent them, and where in them stand the parts
 * that the gateway looks at.
 */
public final class ObjectView {
  private ObjectView() {}

  /**
   * Reads an object. The array becomes part of the view and must not be changed any more.
   *
   * @throws JsonException if the bytes are not one JSON object with metadata.name and
   *     metadata.resourceVersion
   */
  public static ObjectView read(byte[] object, FieldPaths paths) throws JsonException {
    throw new UnsupportedOperationException();
  }

  /** The object as sent. */
  public byte[] bytes() {
    throw new UnsupportedOperationException();
  }

  /**
   * {@code namespace/name}, or {@code name} for a type without namespaces, in UTF-8: what a list is
   * ordered by.
   */
  public byte[] key() {
    throw new UnsupportedOperationException();
  }

  /** Empty for a type without namespaces. */
  public String namespace() {
    throw new UnsupportedOperationException();
  }

  public String name() {
    throw new UnsupportedOperationException();
  }

  public String uid() {
    throw new UnsupportedOperationException();
  }

  public String resourceVersion() {
    throw new UnsupportedOperationException();
  }

  /** The value of a label, null without it. */
  public @Nullable String label(String name) {
    throw new UnsupportedOperationException();
  }

  /**
   * The value of the leaf with this number of the {@link FieldPaths} it was read with: strings
   * decoded, numbers and booleans as they stand, null where it is absent, {@code null}, an object
   * or an array.
   */
  public @Nullable String field(int number) {
    throw new UnsupportedOperationException();
  }
}
