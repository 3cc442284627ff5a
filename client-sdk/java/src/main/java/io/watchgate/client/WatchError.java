package io.watchgate.client;

import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Error that ended a stream or a call. Immutable.
 *
 * @param code the gRPC status code; UNKNOWN for a stream that ended with OK, which no gateway sends
 * @param reason a name of {@code ErrorReason} without its prefix, such as {@code TYPE_UNKNOWN};
 *     empty if the error does not come from a gateway but from a proxy, the network or gRPC
 * @param action reaction of {@link WatchCall} to the error
 * @param message text for a person, one line: the request, the fault and the fix; for an invalid
 *     field the name of the field and, in a selector, the column
 * @param retryAfter minimum wait before a retry; zero if the server gave none
 * @param violation invalid field of the request, if the gateway named one
 * @param origin side that the error comes from
 */
public record WatchError(
    Status.Code code,
    String reason,
    ErrorAction action,
    String message,
    Duration retryAfter,
    Optional<FieldViolation> violation,
    Origin origin) {

  /**
   * Returns whether the gateway has another timeline than the client, as after a restore from a
   * backup: earlier versions cannot be compared with its versions.
   */
  public boolean isHistoryLost() {
    return reason.equals("HISTORY_LOST");
  }

  /** Creates an error without a field violation; without a reason its origin is the client. */
  public WatchError(
      Status.Code code, String reason, ErrorAction action, String message, Duration retryAfter) {
    this(
        code,
        reason,
        action,
        message,
        retryAfter,
        Optional.empty(),
        reason.isEmpty() ? Origin.CLIENT : Origin.GATEWAY);
  }

  /** Side that an error comes from. */
  public enum Origin {
    /** A gateway: the error has a reason or an action of {@code watch.proto}. */
    GATEWAY,
    /**
     * Another server that answered: a proxy or load balancer in between, or a server at a wrong
     * address. Its error does not depend on the request.
     */
    OTHER_SERVER,
    /** This client: no connection, no answer in time, no address, or no token to send. */
    CLIENT
  }

  /**
   * Fault of one field of a request.
   *
   * @param field its path, such as {@code selection.label_selector}
   * @param column character of the field, counted from 1; 0 if the fault concerns the entire field
   * @param description the fault, without the column
   */
  public record FieldViolation(String field, int column, String description) {
    private static final String COLUMN = "column ";

    /** Parses a violation. A description with a column begins with {@code column 7: ...}. */
    static FieldViolation of(ErrorDetail.Violation wire) {
      String text = wire.description();
      int colon = text.indexOf(": ");
      if (text.startsWith(COLUMN) && colon > 0) {
        try {
          int column = Integer.parseInt(text.substring(COLUMN.length(), colon));
          return new FieldViolation(wire.field(), column, text.substring(colon + 2));
        } catch (NumberFormatException e) {
          return new FieldViolation(wire.field(), 0, text);
        }
      }
      return new FieldViolation(wire.field(), 0, text);
    }

    /** Returns one line for a person. */
    String text() {
      return field + (column > 0 ? ", " + COLUMN + column : "") + ": " + description;
    }
  }

  private static final String DOMAIN = "watchgate.io";
  private static final Metadata.Key<String> REASON =
      Metadata.Key.of("watchgate-reason", Metadata.ASCII_STRING_MARSHALLER);
  private static final Metadata.Key<String> ACTION =
      Metadata.Key.of("watchgate-action", Metadata.ASCII_STRING_MARSHALLER);

  private static final Metadata.Key<byte[]> DETAILS =
      Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER);

  /** Text that the transport adds for debugging: a failed call, the bytes of a handshake. */
  private static final Pattern NOISE =
      Pattern.compile(
          "\\n"
              + "(Channel Pipeline:|headers: |DATA-----).*|\\w+\\(\\.\\.\\) failed with"
              + " error\\(-\\d+\\): |(?<=record): [0-9a-f]{8,}",
          Pattern.DOTALL);

  /** Returns the error of a failed unary call. */
  public static WatchError of(StatusRuntimeException failure) {
    Metadata trailers = failure.getTrailers();
    return of(failure.getStatus(), trailers == null ? new Metadata() : trailers);
  }

  /**
   * Returns the error of a stream that was not tried because the name does not resolve at the
   * moment.
   */
  static WatchError unknownHost(UnknownHostException failure) {
    return new WatchError(
        Status.Code.UNAVAILABLE,
        "",
        ErrorAction.RESUME,
        "the gateway's name cannot be looked up: " + failure.getMessage(),
        Duration.ZERO);
  }

  /** Returns the error of a stream that was not tried because creating the connection threw. */
  static WatchError notTried(Throwable failure) {
    return new WatchError(
        Status.Code.UNAVAILABLE,
        "",
        ErrorAction.RESUME,
        "no stream could be opened: " + failure,
        Duration.ZERO);
  }

  /**
   * Returns the error of a stream with an event that cannot be applied. With the same token the
   * event would come again.
   */
  static WatchError unknownEvent() {
    return new WatchError(
        Status.Code.INTERNAL,
        "",
        ErrorAction.RESTART,
        "the stream has an event of an unknown type, or a patch that was not requested",
        Duration.ZERO);
  }

  /**
   * Reads the end of a call from the wire: first ErrorInfo, then the trailers that repeat it (some
   * proxies drop the binary details), then the rules for errors without an action.
   */
  static WatchError of(Status status, Metadata trailers) {
    String reason = Optional.ofNullable(trailers.get(REASON)).orElse("");
    Optional<ErrorAction> action = action(trailers.get(ACTION));
    Duration retryAfter = Duration.ZERO;
    String serverText = status.getDescription();
    Optional<FieldViolation> violation = Optional.empty();
    for (ErrorDetail detail : details(trailers)) {
      if (detail instanceof ErrorDetail.Info info) {
        if (info.domain().equals(DOMAIN)) {
          reason = info.reason();
          Optional<ErrorAction> named = action(info.metadata().get("action"));
          action = named.isPresent() ? named : action;
        }
      } else if (detail instanceof ErrorDetail.Retry retry) {
        retryAfter = retry.after();
      } else if (detail instanceof ErrorDetail.BadRequest request) {
        violation = violation(request);
        serverText = violation.isPresent() ? violation.get().text() : serverText;
      }
    }
    boolean isGateways = !reason.isEmpty() || action.isPresent();
    Status.Code code = status.isOk() ? Status.Code.UNKNOWN : status.getCode();
    return new WatchError(
        code,
        reason,
        action.orElseGet(() -> isGateways ? withoutAction(code) : ErrorAction.RESUME),
        message(status, serverText),
        retryAfter,
        violation,
        isGateways ? Origin.GATEWAY : origin(status.getCode(), trailers));
  }

  /**
   * Returns the origin. An answer has at least a content type; errors that gRPC creates locally
   * have a few codes and no trailers.
   */
  private static Origin origin(Status.Code code, Metadata trailers) {
    boolean isOfLibrary =
        isTemporary(code) || code == Status.Code.INTERNAL || code == Status.Code.UNKNOWN;
    return isOfLibrary && trailers.keys().isEmpty() ? Origin.CLIENT : Origin.OTHER_SERVER;
  }

  /** Returns whether the code names a temporary state, for any sender. */
  private static boolean isTemporary(Status.Code code) {
    return switch (code) {
      case UNAVAILABLE, CANCELLED, RESOURCE_EXHAUSTED, DEADLINE_EXCEEDED -> true;
      default -> false;
    };
  }

  /** Returns whether the client found an event that it cannot apply. */
  public boolean isOfUnusableEvent() {
    return origin == Origin.CLIENT && action == ErrorAction.RESTART;
  }

  /** Returns whether a gateway sent this error, and not a server in between. */
  public boolean isFromGateway() {
    return origin == Origin.GATEWAY;
  }

  /**
   * Returns whether a server that is not a gateway may have sent this error because the address is
   * wrong: it is neither an error of a gateway nor known to be temporary.
   */
  boolean mayBeWrongAddress() {
    return origin != Origin.GATEWAY && !isTemporary(code);
  }

  /**
   * Returns the final error after such answers for {@code tried} while no gateway ever answered.
   */
  WatchError noGateway(Duration tried) {
    return new WatchError(
        code,
        "",
        ErrorAction.STOP,
        "no Watchgate has answered there for "
            + tried.toSeconds()
            + " s. What answers is a proxy or load balancer in between, or another server: "
            + code
            + (message.isEmpty() ? "" : ", " + message.replaceFirst("\\.$", ""))
            + ". Check host and port, and that everything in between passes on gRPC over HTTP/2",
        Duration.ZERO,
        Optional.empty(),
        Origin.OTHER_SERVER);
  }

  /**
   * Parses the details without StatusProto, which throws if a proxy changed the code and left the
   * details.
   */
  private static List<ErrorDetail> details(Metadata trailers) {
    byte[] bytes = trailers.get(DETAILS);
    return bytes == null ? List.of() : ErrorDetail.read(bytes);
  }

  private static Optional<ErrorAction> action(@Nullable String name) {
    if (name == null) {
      return Optional.empty();
    }
    return switch (name.toUpperCase(Locale.ROOT)) {
      case "RESUME" -> Optional.of(ErrorAction.RESUME);
      case "RESTART" -> Optional.of(ErrorAction.RESTART);
      case "STOP" -> Optional.of(ErrorAction.STOP);
      default -> Optional.empty();
    };
  }

  /** Returns the action for a gateway's error whose action this version does not know. */
  private static ErrorAction withoutAction(Status.Code code) {
    return switch (code) {
      case UNAVAILABLE, CANCELLED, UNKNOWN, INTERNAL, RESOURCE_EXHAUSTED, DEADLINE_EXCEEDED ->
          ErrorAction.RESUME;
      default -> ErrorAction.STOP;
    };
  }

  /**
   * Returns the violation. Its description repeats the message of the status, with the column in
   * front.
   */
  private static Optional<FieldViolation> violation(ErrorDetail.BadRequest request) {
    return request.violations().stream()
        .filter(one -> !one.description().isEmpty())
        .findFirst()
        .map(FieldViolation::of);
  }

  private static String message(Status status, @Nullable String serverText) {
    StringBuilder text = new StringBuilder();
    if (serverText != null) {
      text.append(serverText);
    } else if (status.isOk()) {
      text.append("the stream ended without an error, which a gateway never does");
    }
    // gRPC says "io exception" and keeps the reason ("Connection refused") in the cause.
    if (text.indexOf("io exception") == 0 && status.getCause() != null) {
      text.setLength(0);
    }
    for (Throwable cause = status.getCause(); cause != null; cause = cause.getCause()) {
      String causeText = cause.getMessage();
      if (causeText != null && text.indexOf(causeText) < 0) {
        text.append(text.isEmpty() ? "" : ": ").append(causeText);
      }
    }
    return NOISE.matcher(text).replaceAll("").replace('\n', ' ');
  }
}
