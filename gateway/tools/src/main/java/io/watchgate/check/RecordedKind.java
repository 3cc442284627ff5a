package io.watchgate.check;

/** Kind of an event. */
public enum RecordedKind {
  ADDED,
  MODIFIED,
  DELETED
}
