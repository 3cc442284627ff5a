package io.watchgate.sandbox;

/** How a kube-apiserver treats the objects of a type, where types differ. */
enum Trait {
  /** metadata.generation counts the changes of what is wanted. */
  GENERATION,
  /** A PUT of an object that is not there creates it. */
  CREATE_ON_UPDATE,
  /** A PUT has to name the resourceVersion that it was made of. */
  VERSION_REQUIRED,
  /** A DELETE is answered with the object, not with a Status. */
  ANSWERS_DELETED,
  /** There is a subresource status, and only there is status written. */
  STATUS,
  /** What is written to status may change labels, annotations and finalizers as well. */
  STATUS_WITH_METADATA,
  /** A DELETE gives the object time to end. */
  GRACE,
  /** Objects go by themselves after a while. */
  EXPIRES,
  /** Any members, in the order of their names: a custom resource. */
  CUSTOM
}
