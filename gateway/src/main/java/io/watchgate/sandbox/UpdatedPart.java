package io.watchgate.sandbox;

/** Which part of an object an update may change. */
enum UpdatedPart {
  /** All but status, where status is a subresource. */
  OBJECT,
  STATUS,
  /** Of a namespace: what has to happen before it goes. */
  FINALIZERS,
  /** What the sandbox itself changes: anything. */
  ANYTHING
}
