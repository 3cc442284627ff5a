package io.watchgate.ops.pages;

import io.watchgate.select.CompiledSelection;

/** Access of the reader of a page to objects of the cluster. Called on a thread that may block. */
@FunctionalInterface
public interface ObjectAccess {
  /** Access of readers that may see all objects. */
  ObjectAccess ALL = selection -> {};

  /**
   * Requires that the reader may list a selection.
   *
   * @throws PageException if the reader may not, or if the apiserver could not be asked
   */
  void requireList(CompiledSelection selection) throws PageException, InterruptedException;
}
