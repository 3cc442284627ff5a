package io.watchgate.check;

/** What an event says. */
public enum Kind {
  ADDED,
  MODIFIED,
  DELETED
}
