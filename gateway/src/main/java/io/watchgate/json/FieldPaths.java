package io.watchgate.json;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The leaves that are read out of every object of a type besides its metadata, as a tree that the
 * reader walks along with the object. Paths have the form of field labels, {@code spec.nodeName}:
 * names of members, separated by dots. Immutable.
 */
public final class FieldPaths {

  /** No leaves. */
  public static final FieldPaths NONE = FieldPaths.of(List.of());

  final Node root = new Node("");
  private final int size;

  private FieldPaths(int size) {
    this.size = size;
  }

  /**
   * Paths in the order of their numbers, as {@link ObjectView#field} takes them. None may be below
   * another.
   */
  public static FieldPaths of(List<String> paths) {
    FieldPaths result = new FieldPaths(paths.size());
    for (int i = 0; i < paths.size(); i++) {
      Node node = result.root;
      for (String name : paths.get(i).split("\\.", -1)) {
        node = node.childOrNew(name);
      }
      node.leaves = Arrays.copyOf(node.leaves, node.leaves.length + 1);
      node.leaves[node.leaves.length - 1] = i;
    }
    return result;
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
