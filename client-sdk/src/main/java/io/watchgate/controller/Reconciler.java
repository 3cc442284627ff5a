package io.watchgate.controller;

import io.watchgate.informer.NamespacedName;

/** Makes what is there what is meant to be there. Must be thread-safe with more than one worker. */
@FunctionalInterface
public interface Reconciler {
  /**
   * Looks at one object, which may have changed, be new, or be gone: what it is now is in the
   * informer's store. Called for one name by one worker at a time. An exception has it tried again,
   * later each time.
   *
   * @return whether it is done, or wants another look
   */
  Result reconcile(NamespacedName key) throws Exception;
}
