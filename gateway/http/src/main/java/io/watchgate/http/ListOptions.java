package io.watchgate.http;

import io.watchgate.http.StatusException.Cause;
import java.util.ArrayList;
import java.util.List;

/**
 * Parameters of a list or a watch, parsed and checked without knowledge of the type.
 *
 * @param match meaning of the version: {@code Exact}, {@code NotOlderThan}; empty without
 * @param limit 0 or below: none
 * @param timeoutSeconds 0: none; below: at once
 */
record ListOptions(
    String labelSelector,
    String fieldSelector,
    Verb verb,
    String resourceVersion,
    String match,
    long timeoutSeconds,
    long limit,
    String continueToken,
    Bookmarks bookmarks,
    InitialEvents initialEvents) {

  private static final String MATCH = "resourceVersionMatch";
  private static final String NOT_OLDER_THAN = "NotOlderThan";

  enum Verb {
    LIST,
    WATCH
  }

  /** Value of {@code allowWatchBookmarks}. */
  enum Bookmarks {
    NONE,
    WANTED
  }

  /** Value of {@code sendInitialEvents}. */
  enum InitialEvents {
    UNSET,
    NONE,
    WANTED
  }

  /**
   * Parses the parameters as an apiserver does.
   *
   * @param form a legacy path always watches
   * @throws StatusException 400 for invalid numbers, 422 for options that contradict each other
   */
  static ListOptions of(QueryParameters query, ApiPath.Form form) throws StatusException {
    boolean watch = form == ApiPath.Form.LEGACY_WATCH || query.flag("watch");
    ListOptions options =
        new ListOptions(
            query.text("labelSelector"),
            query.text("fieldSelector"),
            watch ? Verb.WATCH : Verb.LIST,
            query.text("resourceVersion"),
            query.text(MATCH),
            query.integer("timeoutSeconds"),
            query.integer("limit"),
            query.text("continue"),
            query.flag("allowWatchBookmarks") ? Bookmarks.WANTED : Bookmarks.NONE,
            initialEvents(query));
    // A watch without a version starts with the current objects (1.32 and later).
    boolean legacy =
        watch
            && options.match.isEmpty()
            && options.initialEvents == InitialEvents.UNSET
            && (options.resourceVersion.isEmpty() || options.resourceVersion.equals("0"));
    return (legacy ? options.asStreamingList() : options).checked();
  }

  private static InitialEvents initialEvents(QueryParameters query) {
    if (!query.has("sendInitialEvents")) {
      return InitialEvents.UNSET;
    }
    return query.flag("sendInitialEvents") ? InitialEvents.WANTED : InitialEvents.NONE;
  }

  private ListOptions asStreamingList() {
    return new ListOptions(
        labelSelector,
        fieldSelector,
        verb,
        resourceVersion,
        NOT_OLDER_THAN,
        timeoutSeconds,
        limit,
        continueToken,
        bookmarks,
        InitialEvents.WANTED);
  }

  private ListOptions checked() throws StatusException {
    List<Cause> causes = new ArrayList<>();
    switch (verb) {
      case LIST -> checkList(causes);
      case WATCH -> checkWatch(causes);
    }
    if (!causes.isEmpty()) {
      throw StatusErrors.invalidOptions(causes);
    }
    return this;
  }

  private void checkList(List<Cause> causes) {
    if (!match.isEmpty()) {
      if (resourceVersion.isEmpty()) {
        causes.add(matchForbidden("is forbidden unless resourceVersion is provided"));
      }
      if (!continueToken.isEmpty()) {
        causes.add(matchForbidden("is forbidden when continue is provided"));
      }
      if (!match.equals("Exact") && !match.equals(NOT_OLDER_THAN)) {
        causes.add(notSupported("\"Exact\", \"NotOlderThan\", \"\""));
      }
      if (match.equals("Exact") && resourceVersion.equals("0")) {
        causes.add(matchForbidden("\"exact\" is forbidden for resourceVersion \"0\""));
      }
    }
    if (initialEvents != InitialEvents.UNSET) {
      causes.add(forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
    }
  }

  private void checkWatch(List<Cause> causes) {
    if (initialEvents != InitialEvents.UNSET && !match.equals(NOT_OLDER_THAN)) {
      causes.add(
          forbidden(MATCH, "sendInitialEvents requires setting " + MATCH + " to NotOlderThan"));
    }
    if (match.isEmpty()) {
      return;
    }
    if (initialEvents == InitialEvents.UNSET) {
      causes.add(matchForbidden("is forbidden for watch unless sendInitialEvents is provided"));
    }
    if (!match.equals(NOT_OLDER_THAN)) {
      causes.add(notSupported("\"NotOlderThan\""));
    }
    if (!continueToken.isEmpty()) {
      causes.add(matchForbidden("is forbidden when continue is provided"));
    }
  }

  private static Cause matchForbidden(String why) {
    return forbidden(MATCH, MATCH + " " + why);
  }

  private static Cause forbidden(String field, String why) {
    return new Cause("FieldValueForbidden", "Forbidden: " + why, field);
  }

  private Cause notSupported(String values) {
    return new Cause(
        "FieldValueNotSupported",
        "Unsupported value: " + HttpJsonText.quoted(match) + ": supported values: " + values,
        MATCH);
  }
}
