package io.watchgate.sandbox;

/** Whether a write is carried out, or only worked out. */
enum DryRun {
  REAL,
  DRY_RUN
}
