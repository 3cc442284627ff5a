package io.watchgate.sandbox;

/** Mode of a write: carried out, or only computed. */
enum DryRun {
  REAL,
  DRY_RUN
}
