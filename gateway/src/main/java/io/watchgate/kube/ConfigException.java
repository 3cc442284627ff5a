package io.watchgate.kube;

/**
 * How to reach the apiserver is not said, or not rightly. The message names the file, the entry,
 * what is wrong with it and what to do, and never a secret.
 */
public final class ConfigException extends Exception {
  private static final long serialVersionUID = 1;

  ConfigException(String message) {
    super(message);
  }
}
