package io.watchgate.json;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Selection of parts of objects by JSON pointers. Selected parts keep their position: a pointer
 * leads to the same value in the result as in the object, and to nothing if it leads to nothing in
 * the object. So members stay in their order, and an object or array around a part exists if, and
 * only if, the part exists. In an array, elements that are not selected are {@code null} before the
 * last selected element and omitted after it. {@code -} and numbers with leading zeros are no
 * elements, but may be names of members. Immutable.
 *
 * <p><b>Rejected.</b> To omit all elements that are not selected: the indices of the others would
 * change, and a client could not identify them. To send all elements of the array: that is more
 * than the client selected.
 */
public final class PointerMask {
  final Node root;
  private final List<JsonPointer> pointers;

  private PointerMask(Node root, List<JsonPointer> pointers) {
    this.root = root;
    this.pointers = pointers;
  }

  /** Sink of the selected parts of an object, as slices that are JSON when concatenated. */
  public interface Sink {
    /** Receives the next slice: {@code [from, to)} of the object. */
    void piece(int from, int to);

    /**
     * Receives the next slice, which is not part of the object: {@code [from, to)} of a constant
     * array.
     */
    void insertion(byte[] bytes, int from, int to);
  }

  /**
   * Returns the mask of these pointers. A pointer below another one adds nothing and is left out.
   */
  public static PointerMask of(Collection<JsonPointer> pointers) {
    Node root = new Node("");
    List<JsonPointer> kept = new ArrayList<>();
    // In sorted order a pointer comes after the pointers above it.
    for (JsonPointer pointer : new TreeSet<>(pointers)) {
      if (root.add(pointer)) {
        kept.add(pointer);
      }
    }
    return new PointerMask(root, List.copyOf(kept));
  }

  /**
   * Returns the pointers in the order of their texts, without duplicates and without pointers below
   * others.
   */
  public List<JsonPointer> pointers() {
    return pointers;
  }

  /**
   * Writes the selected parts of an object as one object; an empty object if it has none of them.
   *
   * @throws JsonException if a part of the object that was not checked before is not JSON; the
   *     bytes after the last selected part are not checked
   */
  public void of(KubeObject object, Sink sink) throws JsonException {
    new PointerMaskWriter(object.bytes(), sink).withKnownOffsets(object).write(this);
  }

  /** Name on the path to a part. */
  static final class Node {
    final String name;
    final byte[] utf8;

    /** Index as an element; -1 if the name is no index. */
    final int index;

    /** Grows only while the tree is built. Empty if this is the part itself. */
    Node[] children = {};

    private Node(String name) {
      this.name = name;
      this.utf8 = name.getBytes(StandardCharsets.UTF_8);
      this.index = name.matches("0|[1-9][0-9]{0,8}") ? Integer.parseInt(name) : -1;
    }

    boolean isPart() {
      return children.length == 0;
    }

    /** Adds a pointer. Returns false, without a change, if a node above it was selected before. */
    private boolean add(JsonPointer pointer) {
      Node at = this;
      boolean made = true; // the root is no part
      for (String childName : pointer.names()) {
        if (!made && at.isPart()) {
          return false;
        }
        Node child = at.named(childName);
        made = child == null;
        if (child == null) {
          child = new Node(childName);
          at.children = Arrays.copyOf(at.children, at.children.length + 1);
          at.children[at.children.length - 1] = child;
        }
        at = child;
      }
      return true;
    }

    private @Nullable Node named(String childName) {
      for (Node child : children) {
        if (child.name.equals(childName)) {
          return child;
        }
      }
      return null;
    }

    /** Returns the child of this name, as written in an object without escapes. */
    @Nullable Node child(byte[] object, int from, int to) {
      for (Node child : children) {
        if (Arrays.equals(child.utf8, 0, child.utf8.length, object, from, to)) {
          return child;
        }
      }
      return null;
    }

    /** Returns the child of this name, as written in an object with escapes. */
    @Nullable Node childEscaped(byte[] object, int from, int to) throws JsonException {
      return named(JsonScanner.decode(object, from, to));
    }

    @Nullable Node element(int number) {
      for (Node child : children) {
        if (child.index == number) {
          return child;
        }
      }
      return null;
    }
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof PointerMask parts && pointers.equals(parts.pointers);
  }

  @Override
  public int hashCode() {
    return Objects.hash(pointers);
  }

  @Override
  public String toString() {
    return pointers.toString();
  }
}
