package io.watchgate.http;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.List;

/** Refusal of a request, with its {@code Status}. The message is that of the Status. */
public final class StatusException extends Exception {
  private final int code;
  private final String message;
  private final String reason;
  private final transient Details details;
  private final String continueToken;

  /**
   * Details of a Status about the object.
   *
   * @param name name of the object; may be empty
   * @param group group of its type; may be empty
   * @param kind plural name or kind, depending on the reason; may be empty
   * @param retryAfterSeconds 0 without one; also sent as a header
   */
  public record Details(
      String name, String group, String kind, List<Cause> causes, int retryAfterSeconds) {
    public static final Details NONE = new Details("", "", "", List.of(), 0);

    public Details {
      causes = List.copyOf(causes);
    }
  }

  /** One of several causes. Parts may be empty. */
  public record Cause(String reason, String message, String field) {}

  /**
   * Creates a refusal.
   *
   * @param code HTTP status code, 400 to 599
   * @param reason {@code NotFound}, {@code Conflict}, ...; empty if the apiserver sends none
   */
  public StatusException(int code, String reason, String message, Details details) {
    this(code, reason, message, details, "");
  }

  private StatusException(
      int code, String reason, String message, Details details, String continueToken) {
    super(message, null, false, false);
    this.code = code;
    this.message = message;
    this.reason = reason;
    this.details = details;
    this.continueToken = continueToken;
  }

  /** Returns the same refusal with a token to continue the list at the newest revision. */
  StatusException withContinue(String token) {
    return new StatusException(code, reason, message, details, token);
  }

  public int code() {
    return code;
  }

  /** Returns the reason: {@code NotFound}, {@code Conflict}, ...; empty if there is none. */
  String reason() {
    return reason;
  }

  public Details details() {
    return details;
  }

  /** Returns {@code {"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",...}}. */
  public JsonObject status() {
    JsonObject status = new JsonObject();
    status.addProperty("kind", "Status");
    status.addProperty("apiVersion", "v1");
    JsonObject metadata = new JsonObject();
    addUnlessEmpty(metadata, "continue", continueToken);
    status.add("metadata", metadata);
    status.addProperty("status", "Failure");
    status.addProperty("message", message);
    addUnlessEmpty(status, "reason", reason);
    JsonObject about = about();
    // The two reasons that an apiserver's router sends have details even if they are empty.
    if (!about.isEmpty() || reason.equals("NotFound") || reason.equals("MethodNotAllowed")) {
      status.add("details", about);
    }
    status.addProperty("code", code);
    return status;
  }

  private JsonObject about() {
    JsonObject about = new JsonObject();
    addUnlessEmpty(about, "name", details.name());
    addUnlessEmpty(about, "group", details.group());
    addUnlessEmpty(about, "kind", details.kind());
    if (!details.causes().isEmpty()) {
      JsonArray causes = new JsonArray();
      for (Cause cause : details.causes()) {
        JsonObject one = new JsonObject();
        addUnlessEmpty(one, "reason", cause.reason());
        addUnlessEmpty(one, "message", cause.message());
        addUnlessEmpty(one, "field", cause.field());
        causes.add(one);
      }
      about.add("causes", causes);
    }
    if (details.retryAfterSeconds() > 0) {
      about.addProperty("retryAfterSeconds", details.retryAfterSeconds());
    }
    return about;
  }

  private static void addUnlessEmpty(JsonObject object, String name, String value) {
    if (!value.isEmpty()) {
      object.addProperty(name, value);
    }
  }
}
