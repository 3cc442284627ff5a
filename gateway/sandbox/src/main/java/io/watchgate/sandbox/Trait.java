package io.watchgate.sandbox;

/** Behavior of a kube-apiserver that differs between types. */
enum Trait {
  /** metadata.generation counts the changes of the desired state. */
  GENERATION,
  /** A PUT creates an object that does not exist. */
  CREATE_ON_UPDATE,
  /** A PUT must contain the resourceVersion on which it is based. */
  VERSION_REQUIRED,
  /** A DELETE returns the object, not a Status. */
  DELETE_RETURNS_OBJECT,
  /** The status is a subresource, and is written only there. */
  STATUS,
  /** A write to the status can also change labels, annotations and finalizers. */
  STATUS_WITH_METADATA,
  /** A DELETE gives the object a grace period. */
  GRACE,
  /** Objects expire some time after their last write. */
  EXPIRES,
  /** A custom resource: any members, ordered by name. */
  CUSTOM
}
