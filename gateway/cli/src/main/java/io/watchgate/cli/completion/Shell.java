package io.watchgate.cli.completion;

/** Shell that a completion script can be generated for. */
public enum Shell {
  BASH,
  /** Uses its emulation of bash's completion. */
  ZSH,
  FISH
}
