package io.watchgate.ops.pages;

/** Refusal of a request for a page. */
public final class PageException extends Exception {
  private final int status;

  private PageException(int status, String message) {
    super(message);
    this.status = status;
  }

  /** Returns the refusal of a query that is wrong. */
  static PageException badQuery(String message) {
    return new PageException(400, message);
  }

  /** Returns the refusal of a request for something that the reader may not see. */
  public static PageException denied(String message) {
    return new PageException(403, message);
  }

  /** Returns the refusal of a reader that sends too many requests. */
  public static PageException tooOften(String message) {
    return new PageException(429, message);
  }

  /** Returns the refusal of a request for something that does not exist. */
  static PageException notFound(String message) {
    return new PageException(404, message);
  }

  /** Returns the refusal of a method that the page is not for. */
  public static PageException wrongMethod(String message) {
    return new PageException(405, message);
  }

  /** Returns the refusal of a request that another one excludes at present. */
  static PageException conflict(String message) {
    return new PageException(409, message);
  }

  /** Returns the refusal of a request whose body has a type that the page does not take. */
  public static PageException unsupportedType(String message) {
    return new PageException(415, message);
  }

  /** Returns the refusal of a request with a body that the page does not take. */
  public static PageException bodyTooLarge(String message) {
    return new PageException(413, message);
  }

  /** Returns the refusal of a request that cannot be answered now. */
  public static PageException unavailable(String message) {
    return new PageException(503, message);
  }

  public int status() {
    return status;
  }

  public String text() {
    return String.valueOf(getMessage());
  }
}
