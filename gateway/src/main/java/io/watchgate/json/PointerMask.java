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
 * Parts of objects, chosen by pointers. What is chosen keeps its place: a pointer leads in the
 * result to what it leads to in the object, and to nothing where it leads to nothing there. So
 * members stay in their order, and an object or array around a part is there if, and only if, the
 * part is. In an array the elements before a chosen one that were not chosen themselves are {@code
 * null}, those after the last chosen one are left out; {@code -} and numbers with leading zeros are
 * no elements, but may be names of members. Immutable.
 *
 * <p><b>Rejected.</b> To leave out elements that were not chosen: the others would move, and a
 * client could not tell which they are. To send all elements of the array: more than was asked for.
 */
public final class PointerMask {
  final Node root;
  private final List<JsonPointer> pointers;

  private PointerMask(Node root, List<JsonPointer> pointers) {
    this.root = root;
    this.pointers = pointers;
  }

  /** Takes what is chosen of an object, piece by piece; put together they are JSON. */
  public interface Sink {
    /** The next piece: {@code [from, to)} of the object. */
    void piece(int from, int to);

    /**
     * The next piece, which is not the object's: {@code [from, to)} of an array that is constant.
     */
    void insertion(byte[] bytes, int from, int to);
  }

  /** What these pointers lead to. One that leads below another adds nothing and is left out. */
  public static PointerMask of(Collection<JsonPointer> pointers) {
    Node root = new Node("");
    List<JsonPointer> kept = new ArrayList<>();
    // Sorted by its text a pointer comes after those above it.
    for (JsonPointer pointer : new TreeSet<>(pointers)) {
      if (root.add(pointer)) {
        kept.add(pointer);
      }
    }
    return new PointerMask(root, List.copyOf(kept));
  }

  /** In the order of their texts, none twice, and none below another. */
  public List<JsonPointer> pointers() {
    return pointers;
  }

  /**
   * Hands over the chosen parts of an object, as one object; an empty one if it has none of them.
   *
   * @throws JsonException if the object turns out not to be JSON where nobody had looked before;
   *     behind the last of the parts nobody does
   */
  public void of(KubeObject object, Sink sink) throws JsonException {
    new PointerMaskWriter(object.bytes(), sink).knowing(object).walk(this);
  }

  /** A name on the way to a part. */
  static final class Node {
    final String name;
    final byte[] utf8;

    /** As an element's; -1 if the name is no index. */
    final int index;

    /** Grows only while the tree is built. None: this is the part itself. */
    Node[] children = {};

    private Node(String name) {
      this.name = name;
      this.utf8 = name.getBytes(StandardCharsets.UTF_8);
      this.index = name.matches("0|[1-9][0-9]{0,8}") ? Integer.parseInt(name) : -1;
    }

    boolean isPart() {
      return children.length == 0;
    }

    /** False if a node above it was chosen before: the tree is left as it is. */
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

    /** The child of this name, as it stands in an object: without escapes. */
    @Nullable Node child(byte[] object, int from, int to) {
      for (Node child : children) {
        if (Arrays.equals(child.utf8, 0, child.utf8.length, object, from, to)) {
          return child;
        }
      }
      return null;
    }

    /** The child of this name, as it stands in an object: with escapes. */
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
