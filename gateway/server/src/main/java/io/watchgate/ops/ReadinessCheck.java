package io.watchgate.ops;

/**
 * Condition that the gateway has to meet before it is ready.
 *
 * @param failure why it is not met; empty if it is
 */
public record ReadinessCheck(String name, String failure) {
  boolean isMet() {
    return failure.isEmpty();
  }
}
