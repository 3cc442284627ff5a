package io.watchgate.kube;

import io.watchgate.cache.UpstreamFailure;
import io.watchgate.json.JsonException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * Error of an apiserver, or of a proxy in front of it: an HTTP status in place of an answer, or the
 * ERROR frame of a watch. The longest accepted {@code Retry-After} is in {@link
 * KubeSettings.Timeouts}.
 *
 * @param code the HTTP status, or the code of a Status; 0: none
 * @param form format of the error
 * @param reason reason of a Status, such as {@code Expired}; may be empty
 * @param message message for a person, in one line
 * @param retryAfter at most {@link KubeSettings.Timeouts#MAX_RETRY_AFTER}; zero if the error has no
 *     such time
 * @param tooLarge whether a Status has the cause {@code ResourceVersionTooLarge}
 */
record ApiServerError(
    int code, Form form, String reason, String message, Duration retryAfter, boolean tooLarge) {
  /** Format of an error. */
  enum Form {
    STATUS,
    TEXT,
    HTML
  }

  static ApiServerError of(Response response) throws IOException {
    byte[] body = response.body().byteStream().readNBytes(KubeSettings.Sizes.MAX_ERROR_BYTES);
    Duration retryAfter = retryAfter(response.header("Retry-After"), Instant.now());
    String text = new String(body, StandardCharsets.UTF_8).strip();
    if (text.startsWith("{")) {
      try {
        JsonDocument status = JsonDocument.parse(body, 0, body.length);
        if (status.text("kind").equals("Status")) {
          return of(status, response.code(), retryAfter);
        }
      } catch (JsonException e) {
        // Then it is only text.
      }
    }
    Form form =
        text.startsWith("<") || String.valueOf(response.header("Content-Type")).contains("html")
            ? Form.HTML
            : Form.TEXT;
    return new ApiServerError(
        response.code(), form, "", message(response, form, text), retryAfter, false);
  }

  private static String message(Response response, Form form, String text) {
    String location = response.header("Location");
    if (location != null) {
      return LogText.singleLine(
          "redirected to " + location.replaceFirst("[?#].*", "")); // may hold secrets
    }
    return switch (form) {
      case HTML -> "an HTML page";
      // It may be an object: objects are not quoted.
      case TEXT, STATUS ->
          text.startsWith("{") ? "JSON that is no Status" : LogText.singleLine(text);
    };
  }

  /** Returns the error in an ERROR frame. */
  static ApiServerError of(JsonDocument status) {
    return of(status, 0, Duration.ZERO);
  }

  private static ApiServerError of(JsonDocument status, int httpCode, Duration header) {
    JsonDocument details = status.object("details");
    Duration retryAfter =
        header.isZero() ? capped(Duration.ofSeconds(details.number("retryAfterSeconds"))) : header;
    String message = LogText.singleLine(status.text("message"));
    boolean tooLarge =
        details.objects("causes").stream()
                .anyMatch(cause -> cause.text("reason").equals("ResourceVersionTooLarge"))
            || message.contains("Too large resource version"); // before 1.19 without the cause
    return new ApiServerError(
        httpCode == 0 ? status.number("code") : httpCode,
        Form.STATUS,
        status.text("reason"),
        message,
        retryAfter,
        tooLarge);
  }

  static Duration retryAfter(@Nullable String header, Instant now) {
    if (header == null) {
      return Duration.ZERO;
    }
    if (header.matches("[0-9]{1,9}")) {
      return capped(Duration.ofSeconds(Long.parseLong(header)));
    }
    try {
      Duration wait =
          Duration.between(now, DateTimeFormatter.RFC_1123_DATE_TIME.parse(header, Instant::from));
      return wait.isNegative() ? Duration.ZERO : capped(wait);
    } catch (DateTimeParseException e) {
      return Duration.ZERO;
    }
  }

  private static Duration capped(Duration wait) {
    return wait.compareTo(KubeSettings.Timeouts.MAX_RETRY_AFTER) < 0
        ? wait
        : KubeSettings.Timeouts.MAX_RETRY_AFTER;
  }

  /**
   * Returns the class of the failure.
   *
   * @param request description of the request
   */
  UpstreamFailure failure(String request) {
    String text =
        request
            + ": "
            + (code == 0 ? "" : code)
            + (reason.isEmpty() ? "" : " " + reason)
            + (message.isEmpty() ? "" : ": " + message);
    boolean said = form == Form.STATUS;
    if (reason.equals("Expired") || reason.equals("Gone") || (code == 410 && said)) {
      return new UpstreamFailure.Expired(text);
    }
    return switch (code) {
      case 401 -> new UpstreamFailure.Unauthorized(text);
      case 403 -> new UpstreamFailure.Forbidden(text);
      case 404, 405 ->
          form == Form.HTML
              ? new UpstreamFailure.Malformed(text + "; is this the URL of an apiserver?")
              : new UpstreamFailure.TypeGone(text);
      case 429 -> new UpstreamFailure.Throttled(text, retryAfter);
      case 504 ->
          tooLarge
              ? new UpstreamFailure.NotYetReached(text, retryAfter)
              : new UpstreamFailure.ServerError(text, retryAfter);
      case 0 -> new UpstreamFailure.ServerError(text, retryAfter);
      // A 500 without a reason means that etcd elects a leader or a webhook is down. It is also the
      // answer to a version that is no number, which is never requested.
      default ->
          code >= 500 || (code >= 400 && !said && code != 406)
              ? new UpstreamFailure.ServerError(text, retryAfter)
              : code >= 400
                  ? new UpstreamFailure.BadRequest(text)
                  : new UpstreamFailure.Malformed(text + "; is this the URL of an apiserver?");
    };
  }
}
