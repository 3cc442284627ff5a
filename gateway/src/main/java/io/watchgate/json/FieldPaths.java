package io.watchgate.json;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is read of every object of a type: beside its metadata some leaves, as a tree that the
 * reader walks along with the object. Paths have the form of field labels, {@code spec.nodeName}:
 * names of members, separated by dots. Immutable.
 */
public final class FieldPaths {

  /** No leaves. */
  public static final FieldPaths NONE = FieldPaths.of(List.of());

  final Node root;
  final boolean withManagedFields;
  private final int size;

  private FieldPaths(Node root, int size, boolean withManagedFields) {
    this.root = root;
    this.size = size;
    this.withManagedFields = withManagedFields;
  }

  /**
   * Paths in the order of their numbers, as {@link KubeObject#field} takes them. None may be below
   * another.
   */
  public static FieldPaths of(List<String> paths) {
    Node root = new Node("");
    for (int i = 0; i < paths.size(); i++) {
      Node node = root;
      for (String name : paths.get(i).split("\\.", -1)) {
        node = node.childOrNew(name);
      }
      node.leaves = Arrays.copyOf(node.leaves, node.leaves.length + 1);
      node.leaves[node.leaves.length - 1] = i;
    }
    return new FieldPaths(root, paths.size(), true);
  }

  /** The same leaves, of objects whose metadata.managedFields are not even kept. */
  public FieldPaths withoutManagedFields() {
    return new FieldPaths(root, size, false);
  }

  public int size() {
    return size;
  }

  static final class Node {
    final byte[] name;

    /** Both only grow while the tree is built. */
    Node[] children = {};

    int[] leaves = {};

    Node(String name) {
      this.name = name.getBytes(StandardCharsets.UTF_8);
    }

    private Node childOrNew(String childName) {
      byte[] bytes = childName.getBytes(StandardCharsets.UTF_8);
      Node found = child(bytes, 0, bytes.length);
      if (found == null) {
        found = new Node(childName);
        children = Arrays.copyOf(children, children.length + 1);
        children[children.length - 1] = found;
      }
      return found;
    }

    /** A type has at most about a dozen leaves, so a linear look beats a map. */
    @Nullable Node child(byte[] buffer, int from, int to) {
      for (Node child : children) {
        if (child.name.length == to - from
            && Arrays.equals(child.name, 0, child.name.length, buffer, from, to)) {
          return child;
        }
      }
      return null;
    }
  }
}
