package io.watchgate.check;

/** What an event says. */
public enum RecordedKind {
  ADDED,
  MODIFIED,
  DELETED
}
