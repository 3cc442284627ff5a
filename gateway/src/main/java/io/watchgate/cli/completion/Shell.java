package io.watchgate.cli.completion;

/** A shell whose completion is known. */
public enum Shell {
  BASH,
  /** By its emulation of bash's completion. */
  ZSH,
  FISH
}
