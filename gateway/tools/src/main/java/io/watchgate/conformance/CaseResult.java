package io.watchgate.conformance;

import java.time.Duration;
import java.util.List;

/**
 * Result of a case.
 *
 * @param differences what the client did other than expected; empty if the case passed
 */
public record CaseResult(String name, Duration time, List<String> differences) {
  public CaseResult {
    differences = List.copyOf(differences);
  }

  /** Returns whether the client did what is expected. */
  public boolean isPassed() {
    return differences.isEmpty();
  }
}
