package io.watchgate.json;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Paths of the leaves that are read of every object of a type beside its metadata, as a tree that
 * the reader descends together with the object. Paths have the form of field labels, {@code
 * spec.nodeName}: names of members, separated by dots. Immutable.
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
   * Returns paths whose numbers are their positions in the list, as used by {@link
   * KubeObject#field}. No path may be below another.
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

  /** Returns the same leaves, for objects whose metadata.managedFields are dropped. */
  public FieldPaths withoutManagedFields() {
    return new FieldPaths(root, size, false);
  }

  public int size() {
    return size;
  }

  static final class Node {
    final byte[] name;

    /** Both arrays only grow while the tree is built. */
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

    /**
     * Returns the child of that name. A type has at most about a dozen leaves, so a linear search
     * is faster than a map.
     */
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
