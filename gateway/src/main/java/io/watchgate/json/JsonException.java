package io.watchgate.json;

/**
 * What was read is not the JSON that was expected. The message names the place and never the
 * content.
 */
public class JsonException extends Exception {
  private static final long serialVersionUID = 1;

  public JsonException(String message) {
    super(message);
  }
}
