package io.watchgate.cli.doctor;

import java.util.List;
import java.util.Locale;

/**
 * Result of one check.
 *
 * @param target address or replica that was checked
 * @param check name of the check, one word
 * @param text what was found, in one line
 * @param advice what to do; empty if all is well
 */
public record Finding(String target, String check, Level level, String text, String advice) {

  /** Severity of a finding. */
  public enum Level {
    /** Success of the check. */
    OK,
    /** The check passed, but will fail later, or fails for some clients. */
    WARNING,
    /** Failure of the check. */
    PROBLEM;

    /** Returns the level in lower case, as it is printed. */
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Returns whether one of the findings is a problem. */
  public static boolean hasProblem(List<Finding> findings) {
    return findings.stream().anyMatch(finding -> finding.level() == Level.PROBLEM);
  }

  /** Returns a finding that needs no advice. */
  public static Finding ok(String target, String check, String text) {
    return new Finding(target, check, Level.OK, text, "");
  }

  /** Returns a warning. */
  public static Finding warning(String target, String check, String text, String advice) {
    return new Finding(target, check, Level.WARNING, text, advice);
  }

  /** Returns a problem. */
  public static Finding problem(String target, String check, String text, String advice) {
    return new Finding(target, check, Level.PROBLEM, text, advice);
  }
}
