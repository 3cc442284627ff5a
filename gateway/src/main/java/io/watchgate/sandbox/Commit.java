package io.watchgate.sandbox;

/** Whether a write is carried out, or only worked out. */
enum Commit {
  REAL,
  DRY_RUN
}
