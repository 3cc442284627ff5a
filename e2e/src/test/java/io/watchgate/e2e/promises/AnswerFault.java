package io.watchgate.e2e.promises;

import io.watchgate.e2e.proxy.Damage;
import io.watchgate.e2e.proxy.Damage.Aim;
import io.watchgate.e2e.proxy.Damage.Edited;
import io.watchgate.e2e.proxy.Damage.Ending;
import io.watchgate.e2e.proxy.Damage.Half;
import io.watchgate.e2e.proxy.Damage.Instead;
import io.watchgate.e2e.proxy.Damage.Stale;
import java.util.List;
import java.util.function.Supplier;

/** Fault in an answer of the apiserver, or of a proxy in front of it. */
enum AnswerFault implements Fault {
  GONE_AT_THE_START(FaultMetric.EXPIRED),
  GONE_IN_THE_MIDDLE(FaultMetric.EXPIRED),
  THROTTLED(FaultMetric.THROTTLED),
  THROTTLED_IN_WORDS(FaultMetric.THROTTLED),
  SERVER_ERROR(FaultMetric.SERVER_ERROR),
  SERVER_ERROR_IN_THE_MIDDLE(FaultMetric.SERVER_ERROR),
  /** Error of the apiserver for a version that is no number. */
  SERVER_ERROR_WITHOUT_REASON(FaultMetric.SERVER_ERROR),
  /** Error while etcd elects a leader: the position remains valid. */
  SERVER_ERROR_WITHOUT_REASON_IN_THE_MIDDLE(FaultMetric.SERVER_ERROR),
  UNAUTHORIZED(FaultMetric.UNAUTHORIZED),
  FORBIDDEN(FaultMetric.FORBIDDEN),
  NOT_FOUND_IN_WORDS(FaultMetric.TYPE_GONE),
  LOGIN_PAGE(FaultMetric.MALFORMED),
  HALF_AN_OBJECT(FaultMetric.TRANSPORT),
  CUT_INSIDE_AN_OBJECT(FaultMetric.TRANSPORT),
  UNKNOWN_TYPE(FaultMetric.SKIPPED),
  /** Unreadable event of an object without further events. */
  AN_UNREADABLE_OBJECT(FaultMetric.SKIPPED),
  AN_EVENT_OF_NO_OBJECT(FaultMetric.MALFORMED),
  A_BOOKMARK_WITHOUT_VERSION(FaultMetric.NONE),
  AN_EVENT_TWICE(FaultMetric.DUPLICATE),
  AN_OLD_EVENT_AGAIN(FaultMetric.ORDER),
  A_VERSION_THAT_GOES_BACK(FaultMetric.ROLLBACK),
  /** Bookmark that is not the end of a streaming list, and must not be taken for the end. */
  AN_EARLY_BOOKMARK(FaultMetric.RELIST),
  /** The end marker of a streaming list loses its annotation. */
  A_LIST_WITHOUT_END(FaultMetric.UNSUPPORTED),
  /** A lagging apiserver reports its version. */
  A_STALE_VERSION(FaultMetric.NONE),
  /** A lagging apiserver lists once the state of a second before. */
  A_STALE_LIST(FaultMetric.RELIST),
  /** Names, versions and labels with escapes that JSON does not need. */
  ESCAPED_NAMES(FaultMetric.NONE),
  ESCAPED_NAMES_IN_A_LIST(FaultMetric.RELIST),
  /** List of the same objects in other bytes: none of them has changed. */
  A_LIST_IN_ANOTHER_FORM(FaultMetric.RELIST),
  /** Apiserver without watch cache. */
  NO_BOOKMARKS(FaultMetric.NONE);

  private final FaultMetric sign;

  AnswerFault(FaultMetric sign) {
    this.sign = sign;
  }

  private static Damage refusal(Aim aim, int code, String reason) {
    return new Instead(aim, code, "application/json", WatchEdits.status(code, reason));
  }

  private static List<Damage> refusals(int code, String reason) {
    return texts(code, "application/json", WatchEdits.status(code, reason));
  }

  /** Damages a watch and the request before it. */
  private static List<Damage> texts(int code, String contentType, String text) {
    return List.of(
        new Instead(Aim.WATCH, code, contentType, text),
        new Instead(Aim.ANY, code, contentType, text));
  }

  private static Damage edited(Supplier<Damage.Edit> edit) {
    return new Edited(Aim.WATCH, edit);
  }

  @Override
  public FaultMetric sign() {
    return sign;
  }

  @Override
  public FaultMetric forbidden() {
    return switch (this) {
      case SERVER_ERROR_WITHOUT_REASON_IN_THE_MIDDLE -> FaultMetric.LIST;
      case ESCAPED_NAMES, ESCAPED_NAMES_IN_A_LIST, A_LIST_IN_ANOTHER_FORM -> FaultMetric.MALFORMED;
      default -> FaultMetric.NONE;
    };
  }

  /** Damages a list in pages, after an expired watch. */
  private static List<Damage> listed(Damage list) {
    return List.of(
        refusal(Aim.WATCH, 410, "Expired"), refusal(Aim.STREAMING_LIST, 422, "Invalid"), list);
  }

  /** Returns the damage of the next answers. */
  List<Damage> damages() {
    return switch (this) {
      case GONE_AT_THE_START -> List.of(refusal(Aim.WATCH, 410, "Expired"));
      case GONE_IN_THE_MIDDLE -> List.of(edited(() -> WatchEdits.error(410, "Expired")));
      case THROTTLED -> refusals(429, "TooManyRequests");
      case THROTTLED_IN_WORDS -> texts(429, "text/plain", "Too many requests");
      case SERVER_ERROR -> refusals(500, "InternalError");
      case SERVER_ERROR_IN_THE_MIDDLE ->
          List.of(edited(() -> WatchEdits.error(500, "InternalError")));
      case SERVER_ERROR_WITHOUT_REASON -> refusals(500, "");
      case SERVER_ERROR_WITHOUT_REASON_IN_THE_MIDDLE ->
          List.of(edited(() -> WatchEdits.error(500, "")));
      case UNAUTHORIZED -> refusals(401, "Unauthorized");
      case FORBIDDEN -> refusals(403, "Forbidden");
      case NOT_FOUND_IN_WORDS -> texts(404, "text/plain", "404 page not found\n");
      case LOGIN_PAGE -> texts(200, "text/html", "<html><body>Log in</body>");
      case HALF_AN_OBJECT -> List.of(new Half(Aim.WATCH, Ending.CLEAN));
      case CUT_INSIDE_AN_OBJECT -> List.of(new Half(Aim.WATCH, Ending.CONNECTION_CUT));
      case UNKNOWN_TYPE -> List.of(edited(WatchEdits::unknownType));
      case AN_UNREADABLE_OBJECT -> List.of(edited(WatchEdits::unreadable));
      case AN_EVENT_OF_NO_OBJECT -> List.of(edited(WatchEdits::ofNoObject));
      case A_BOOKMARK_WITHOUT_VERSION -> List.of(edited(WatchEdits::bookmarkWithoutVersion));
      case AN_EVENT_TWICE -> List.of(edited(WatchEdits::twice));
      case AN_OLD_EVENT_AGAIN -> List.of(edited(WatchEdits::oldAgain));
      case A_VERSION_THAT_GOES_BACK -> List.of(edited(WatchEdits::versionBack));
      case AN_EARLY_BOOKMARK ->
          List.of(
              refusal(Aim.WATCH, 410, "Expired"),
              new Edited(Aim.STREAMING_LIST, WatchEdits::earlyBookmark));
      case A_LIST_WITHOUT_END ->
          List.of(
              refusal(Aim.WATCH, 410, "Expired"),
              new Edited(Aim.STREAMING_LIST, WatchEdits::withoutMarker));
      case A_STALE_VERSION -> List.of(new Stale(Aim.PROBE));
      case A_STALE_LIST -> listed(new Stale(Aim.LIST));
      case ESCAPED_NAMES -> List.of(edited(() -> WatchEdits::escaped));
      case ESCAPED_NAMES_IN_A_LIST -> listed(new Edited(Aim.LIST, () -> WatchEdits::escaped));
      case A_LIST_IN_ANOTHER_FORM -> listed(new Edited(Aim.LIST, () -> WatchEdits::spaced));
      case NO_BOOKMARKS -> List.of(edited(() -> WatchEdits::withoutBookmark));
    };
  }
}
