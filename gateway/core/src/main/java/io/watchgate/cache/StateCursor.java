package io.watchgate.cache;

import io.watchgate.json.KubeObject;
import org.jspecify.annotations.Nullable;

/** Cursor between two objects of a {@link StateMap}; moves forwards only. Not thread-safe. */
public final class StateCursor {
  /** Path from the root: nodes, the leaf last, and the current index in each. */
  private final BTreeNode[] nodes;

  private final int[] indexes;
  private final int leaf;
  private final KeyRange range;

  StateCursor(BTreeNode root, KeyRange range) {
    this.range = range;
    int depth = 1;
    for (BTreeNode node = root;
        node instanceof BTreeNode.Branch branch;
        node = branch.children[0]) {
      depth++;
    }
    nodes = new BTreeNode[depth];
    indexes = new int[depth];
    leaf = depth - 1;
    BTreeNode node = root;
    for (int level = 0; level < leaf; level++) {
      BTreeNode.Branch branch = (BTreeNode.Branch) node;
      nodes[level] = branch;
      indexes[level] = branch.childFor(range.from());
      node = branch.children[indexes[level]];
    }
    nodes[leaf] = node;
    indexes[leaf] = ((BTreeNode.Leaf) node).ceiling(range.from());
    if (indexes[leaf] == node.count()) {
      ascend(leaf);
    }
  }

  /** Returns the next object, null at the end of the range. */
  public @Nullable KubeObject peek() {
    BTreeNode.Leaf objects = (BTreeNode.Leaf) nodes[leaf];
    if (indexes[leaf] >= objects.objects.length) {
      return null;
    }
    KubeObject object = objects.objects[indexes[leaf]];
    return range.endsBefore(object.key()) ? null : object;
  }

  /** Moves past the next object. */
  public void advance() {
    skip(0);
  }

  /**
   * Moves past the rest of the node {@code height} levels above the objects; 0 moves past the next
   * object only.
   */
  private void skip(int height) {
    int level = leaf - height;
    if (++indexes[level] >= nodes[level].count()) {
      ascend(level);
    } else {
      descend(level);
    }
  }

  /**
   * Moves to the next node after the end of the node at this level, or stays behind its end if
   * there is none.
   */
  private void ascend(int level) {
    int above = level - 1;
    while (above >= 0 && indexes[above] + 1 >= nodes[above].count()) {
      above--;
    }
    if (above < 0) {
      for (int i = 0; i <= leaf; i++) {
        indexes[i] = nodes[i].count();
      }
      return;
    }
    indexes[above]++;
    descend(above);
  }

  private void descend(int level) {
    for (int i = level; i < leaf; i++) {
      nodes[i + 1] = ((BTreeNode.Branch) nodes[i]).children[indexes[i]];
      indexes[i + 1] = 0;
    }
  }

  /**
   * Moves both cursors past the largest subtree at whose beginning both are.
   *
   * @return whether there is such a subtree
   */
  static boolean skipShared(StateCursor left, StateCursor right) {
    int highest = 0;
    // A subtree of height h begins here if all indexes below are 0; objects have height 0.
    int most = Math.min(left.leaf, right.leaf) + 1;
    for (int height = 1; height <= most; height++) {
      int leftLevel = left.leaf - height + 1;
      int rightLevel = right.leaf - height + 1;
      if (left.indexes[leftLevel] != 0 || right.indexes[rightLevel] != 0) {
        break;
      }
      if (left.nodes[leftLevel] == right.nodes[rightLevel]) {
        highest = height;
      }
    }
    if (highest == 0) {
      return false;
    }
    left.skipSubtree(highest);
    right.skipSubtree(highest);
    return true;
  }

  private void skipSubtree(int height) {
    int level = leaf - height; // the parent's level
    if (level < 0) {
      for (int i = 0; i <= leaf; i++) {
        indexes[i] = nodes[i].count();
      }
    } else {
      skip(height);
    }
  }
}
