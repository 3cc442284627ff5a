package io.watchgate.error;

import io.watchgate.proto.v1.ErrorReason;

/** Name of an error reason as clients and operators see it: without the prefix of the contract. */
public final class ReasonName {
  private static final String PREFIX = "ERROR_REASON_";

  private ReasonName() {}

  /** Returns the name: {@code QUOTA} of {@code ERROR_REASON_QUOTA}. */
  public static String of(ErrorReason reason) {
    return reason.name().substring(PREFIX.length());
  }
}
