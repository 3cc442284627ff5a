package io.watchgate.json;

/**
 * Error for input that is not the expected JSON. The message contains the position and never the
 * content.
 */
public class JsonException extends Exception {
  public JsonException(String message) {
    super(message);
  }
}
