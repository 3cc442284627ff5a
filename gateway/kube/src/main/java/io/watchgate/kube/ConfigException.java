package io.watchgate.kube;

/**
 * Missing or invalid configuration of the access to the apiserver. The message names the file, the
 * entry, the defect and the remedy, and never a secret.
 */
public final class ConfigException extends Exception {
  public ConfigException(String message) {
    super(message);
  }
}
