package io.watchgate.http;

import io.watchgate.http.StatusException.Cause;
import java.util.ArrayList;
import java.util.List;

/**
 * Parameters of a list or a watch, parsed and checked without knowledge of the type.
 *
 * @param timeoutSeconds seconds after which a watch ends; 0: no timeout; negative: at once
 */
record ListOptions(
    Verb verb,
    Selectors selectors,
    Start start,
    long timeoutSeconds,
    Page page,
    Bookmarks bookmarks) {

  private static final String MATCH = "resourceVersionMatch";
  private static final String NOT_OLDER_THAN = "NotOlderThan";

  enum Verb {
    LIST,
    WATCH
  }

  /** Selectors of labels and fields, each empty if the request has none. */
  record Selectors(String labels, String fields) {}

  /**
   * Version of the first response.
   *
   * @param match meaning of the version: {@code Exact}, {@code NotOlderThan}; empty if the request
   *     has none
   */
  record Start(String resourceVersion, String match, InitialEvents initialEvents) {
    /** Returns whether a watch starts with the current objects unasked (1.32 and later). */
    private boolean isLegacy() {
      return match.isEmpty()
          && initialEvents == InitialEvents.UNSET
          && (resourceVersion.isEmpty() || resourceVersion.equals("0"));
    }
  }

  /**
   * Part of a list.
   *
   * @param limit 0 or below: none
   */
  record Page(long limit, String continueToken) {}

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
    Start start = new Start(query.text("resourceVersion"), query.text(MATCH), initialEvents(query));
    if (watch && start.isLegacy()) {
      start = new Start(start.resourceVersion, NOT_OLDER_THAN, InitialEvents.WANTED);
    }
    ListOptions options =
        new ListOptions(
            watch ? Verb.WATCH : Verb.LIST,
            new Selectors(query.text("labelSelector"), query.text("fieldSelector")),
            start,
            query.integer("timeoutSeconds"),
            new Page(query.integer("limit"), query.text("continue")),
            query.flag("allowWatchBookmarks") ? Bookmarks.WANTED : Bookmarks.NONE);
    options.check();
    return options;
  }

  /** Returns the options of a request for one object, which has none. */
  static ListOptions ofObject() {
    return new ListOptions(
        Verb.LIST,
        new Selectors("", ""),
        new Start("", "", InitialEvents.UNSET),
        /* timeoutSeconds= */ 0,
        new Page(/* limit= */ 0, ""),
        Bookmarks.NONE);
  }

  private static InitialEvents initialEvents(QueryParameters query) {
    if (!query.has("sendInitialEvents")) {
      return InitialEvents.UNSET;
    }
    return query.flag("sendInitialEvents") ? InitialEvents.WANTED : InitialEvents.NONE;
  }

  private void check() throws StatusException {
    List<Cause> causes = new ArrayList<>();
    switch (verb) {
      case LIST -> checkList(causes);
      case WATCH -> checkWatch(causes);
    }
    if (!causes.isEmpty()) {
      throw StatusErrors.invalidOptions(causes);
    }
  }

  private void checkList(List<Cause> causes) {
    if (!start.match.isEmpty()) {
      if (start.resourceVersion.isEmpty()) {
        causes.add(matchForbidden("is forbidden unless resourceVersion is provided"));
      }
      if (!page.continueToken.isEmpty()) {
        causes.add(matchForbidden("is forbidden when continue is provided"));
      }
      if (!start.match.equals("Exact") && !start.match.equals(NOT_OLDER_THAN)) {
        causes.add(notSupported("\"Exact\", \"NotOlderThan\", \"\""));
      }
      if (start.match.equals("Exact") && start.resourceVersion.equals("0")) {
        causes.add(matchForbidden("\"exact\" is forbidden for resourceVersion \"0\""));
      }
    }
    if (start.initialEvents != InitialEvents.UNSET) {
      causes.add(forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
    }
  }

  private void checkWatch(List<Cause> causes) {
    if (start.initialEvents != InitialEvents.UNSET && !start.match.equals(NOT_OLDER_THAN)) {
      causes.add(
          forbidden(MATCH, "sendInitialEvents requires setting " + MATCH + " to NotOlderThan"));
    }
    if (start.match.isEmpty()) {
      return;
    }
    if (start.initialEvents == InitialEvents.UNSET) {
      causes.add(matchForbidden("is forbidden for watch unless sendInitialEvents is provided"));
    }
    if (!start.match.equals(NOT_OLDER_THAN)) {
      causes.add(notSupported("\"NotOlderThan\""));
    }
    if (!page.continueToken.isEmpty()) {
      causes.add(matchForbidden("is forbidden when continue is provided"));
    }
  }

  private static Cause matchForbidden(String reason) {
    return forbidden(MATCH, MATCH + " " + reason);
  }

  private static Cause forbidden(String field, String reason) {
    return new Cause("FieldValueForbidden", "Forbidden: " + reason, field);
  }

  private Cause notSupported(String values) {
    return new Cause(
        "FieldValueNotSupported",
        "Unsupported value: " + HttpJsonText.quoted(start.match) + ": supported values: " + values,
        MATCH);
  }
}
