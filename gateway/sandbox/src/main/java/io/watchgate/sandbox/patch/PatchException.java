package io.watchgate.sandbox.patch;

/**
 * Thrown if a patch cannot be read or applied. The message names the position in the patch, on one
 * line.
 */
public final class PatchException extends Exception {
  private final Kind kind;

  /** Kind of the failure, with the apiserver's status code and reason. */
  public enum Kind {
    /** The body is not a patch of this media type. */
    MALFORMED(400, "BadRequest"),
    /** The patch does not apply to this object. */
    NOT_APPLICABLE(422, "Invalid"),
    /** The patch has too many operations. */
    TOO_LARGE(413, "RequestEntityTooLarge"),
    /** The media type is not supported, or not for this type. */
    UNSUPPORTED(415, "UnsupportedMediaType");

    private final int code;
    private final String reason;

    Kind(int code, String reason) {
      this.code = code;
      this.reason = reason;
    }

    /** Returns the HTTP status code. */
    public int code() {
      return code;
    }

    /** Returns the reason in the {@code Status}. */
    public String reason() {
      return reason;
    }
  }

  PatchException(Kind kind, String message) {
    super(message, null, false, false);
    this.kind = kind;
  }

  public Kind kind() {
    return kind;
  }

  static PatchException malformed(String message) {
    return new PatchException(Kind.MALFORMED, message);
  }

  static PatchException notApplicable(String message) {
    return new PatchException(Kind.NOT_APPLICABLE, message);
  }
}
