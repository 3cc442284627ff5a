package io.watchgate.check.run;

/**
 * Failure of a run before anything could be judged. The message names the reason and the remedy.
 */
public final class CheckException extends Exception {
  CheckException(String message) {
    super(message);
  }
}
