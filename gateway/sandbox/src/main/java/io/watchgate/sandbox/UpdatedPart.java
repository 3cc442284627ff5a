package io.watchgate.sandbox;

/** Part of an object that an update may change. */
enum UpdatedPart {
  /** All members; without the status if the status is a subresource. */
  OBJECT,
  STATUS,
  /** Finalizers in a namespace's spec, which delay its removal. */
  FINALIZERS,
  /** Any member; for changes by the sandbox itself. */
  ANYTHING
}
