package io.watchgate.controller;

import io.watchgate.informer.NamespacedName;

/**
 * Function that brings the actual state of an object to the desired state. Must be thread-safe with
 * more than one worker.
 */
@FunctionalInterface
public interface Reconciler {
  /**
   * Reconciles one object, which may have been changed, added or deleted: its current state is in
   * the informer's store. One worker at a time calls it for a key. If it throws, the key is retried
   * with an increasing delay.
   *
   * @return whether the object is done or is to be reconciled again after a delay
   */
  Result reconcile(NamespacedName key) throws Exception;
}
