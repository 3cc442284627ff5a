package io.watchgate.check.run;

import io.grpc.StatusRuntimeException;
import java.util.Optional;

/**
 * Failure of a run before anything could be judged. The message names the reason and the remedy.
 */
public final class CheckException extends Exception {
  CheckException(String message) {
    super(message);
  }

  /** Creates the failure of a run whose gateways cannot be reached. */
  CheckException(String message, StatusRuntimeException cause) {
    super(message, cause);
  }

  /** Returns the error of the connection, if the run failed because no gateway can be reached. */
  public Optional<StatusRuntimeException> connectionError() {
    return getCause() instanceof StatusRuntimeException error
        ? Optional.of(error)
        : Optional.empty();
  }
}
