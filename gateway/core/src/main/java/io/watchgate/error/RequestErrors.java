package io.watchgate.error;

import io.watchgate.proto.v1.ErrorReason;
import java.time.Duration;
import java.util.List;

/** Factory of the errors of requests that are wrong: the client has to change them. */
public final class RequestErrors {
  private static final String TYPE = "selection.resource_type";
  private static final String RESUME_TOKEN = "resume_token";
  private static final String PAGE_TOKEN = "page_token";
  private static final String VIEW = "projection.view";
  private static final String POINTERS = "projection.include_pointers";
  private static final String CHANGES = "projection.change_encoding";

  private RequestErrors() {}

  // ---- messages

  public static ApiError tooLarge(int maxBytes) {
    return ApiError.of(
        ErrorReason.ERROR_REASON_TOO_COMPLEX,
        "the request is too large: at most "
            + maxBytes
            + " bytes are read. Split the selection over several streams.");
  }

  public static ApiError notOfContract() {
    return unreadable("it is not a message of the contract (watch.proto)");
  }

  public static ApiError notDecompressed() {
    return unreadable("it cannot be decompressed");
  }

  private static ApiError unreadable(String detail) {
    return ApiError.of(
        ErrorReason.ERROR_REASON_VALUE_INVALID, "the request cannot be read: " + detail + ".");
  }

  public static ApiError metadataTooLarge(int bytes, int maxBytes) {
    return ApiError.of(
        ErrorReason.ERROR_REASON_TOO_COMPLEX,
        "the metadata of this call has %d bytes besides authorization, of at most %d. Send less."
            .formatted(bytes, maxBytes));
  }

  /**
   * Returns the error for a field of a newer contract.
   *
   * @param path message that has the field; empty: the request itself
   */
  public static ApiError unknownField(String path, int number) {
    return ApiError.ofField(
        ErrorReason.ERROR_REASON_UNSUPPORTED_FIELD,
        path.isEmpty() ? "#" + number : path + ".#" + number,
        "this gateway does not know field "
            + number
            + " of "
            + (path.isEmpty() ? "the request" : path)
            + ". Use a newer gateway, or leave the field out.");
  }

  /** Returns the error for a number of an enum of a newer contract. */
  public static ApiError unknownValue(String field, int number) {
    return ApiError.ofField(
        ErrorReason.ERROR_REASON_UNSUPPORTED_VALUE,
        field,
        "this gateway does not know value "
            + number
            + " of "
            + field
            + ". Use a newer gateway, or another value.");
  }

  // ---- single values

  public static ApiError unsupportedLagPolicy(String value) {
    return unsupported("delivery.lag_policy", value, "RESYNC, CONFLATE or DISCONNECT");
  }

  public static ApiError unsupportedExpiredPositionPolicy(String value) {
    return unsupported("delivery.expired_position_policy", value, "SNAPSHOT or FAIL");
  }

  public static ApiError unsupportedChangeEncoding(String value) {
    return unsupported(CHANGES, value, "FULL or PATCH");
  }

  public static ApiError unsupportedView(String value) {
    return unsupported(VIEW, value, "FULL, NO_MANAGED_FIELDS, METADATA or KEY");
  }

  private static ApiError unsupported(String field, String value, String instead) {
    return ApiError.ofField(
        ErrorReason.ERROR_REASON_UNSUPPORTED_VALUE,
        field,
        field + " " + value + " is not supported by this gateway. Choose " + instead + ".");
  }

  public static ApiError clientNameTooLong(int bytes, int maxBytes) {
    return invalid(
        "client_name",
        "client_name has " + bytes + " bytes; at most " + maxBytes + " are allowed.");
  }

  public static ApiError notADuration(String field) {
    return invalid(field, field + " is not a valid google.protobuf.Duration.");
  }

  public static ApiError notAVersion(String field, int maxDigits) {
    return invalid(
        field,
        field
            + " has to be a resourceVersion as the apiserver prints it: decimal digits, no"
            + " leading zero, at most "
            + maxDigits
            + "; \"\" and \"0\" are none.");
  }

  public static ApiError negativePageSize() {
    return invalid("page_size", "page_size must not be negative.");
  }

  private static ApiError invalid(String field, String message) {
    return ApiError.ofField(ErrorReason.ERROR_REASON_VALUE_INVALID, field, message);
  }

  // ---- parameters of a URL

  /**
   * Returns the error for a parameter that does not exist.
   *
   * @param known names of those that exist
   */
  public static ApiError unknownParameter(String name, List<String> known) {
    return ApiError.ofField(
        ErrorReason.ERROR_REASON_UNSUPPORTED_FIELD,
        name,
        "this gateway knows no parameter "
            + name
            + " of a watch. It knows "
            + String.join(", ", known)
            + ".");
  }

  public static ApiError repeatedParameter(String name) {
    return invalid(
        name,
        "the parameter "
            + name
            + " is given more than once. Give it once; several namespaces are separated by"
            + " commas.");
  }

  public static ApiError undecodableParameters() {
    return ApiError.of(
        ErrorReason.ERROR_REASON_VALUE_INVALID,
        "the parameters of the URL cannot be decoded. Encode each value, as encodeURIComponent"
            + " does.");
  }

  /** Returns the error for credentials that logs would keep; the text does not contain them. */
  public static ApiError tokenInUrl(String name) {
    return invalid(
        name,
        "the parameter "
            + name
            + " is refused: URLs are logged. Send the token in the header authorization: Bearer"
            + " TOKEN, and stop using the token that was in the URL.");
  }

  public static ApiError resourceRequired() {
    return ApiError.ofField(
        ErrorReason.ERROR_REASON_FIELD_REQUIRED,
        "resource",
        "the parameter resource is required: a resource type, as resource=pods or"
            + " resource=deployments.apps.");
  }

  public static ApiError notAType(String text) {
    return invalid(
        "resource",
        "'"
            + text
            + "' is not a resource type, such as pods, deployments.apps or apps/v1/deployments.");
  }

  /**
   * Returns the error for a word that a parameter does not have.
   *
   * @param words those that it has
   */
  public static ApiError notAWord(String name, String text, List<String> words) {
    return ApiError.ofField(
        ErrorReason.ERROR_REASON_UNSUPPORTED_VALUE,
        name,
        name + "=" + text + " is not supported. Choose " + String.join(", ", words) + ".");
  }

  /** Returns the error for a header {@code Last-Event-ID} that is no token. */
  public static ApiError lastEventIdMalformed() {
    return ApiError.ofField(
        ErrorReason.ERROR_REASON_TOKEN_MALFORMED,
        "last-event-id",
        "last-event-id is not the id of an event of this gateway. Send the last id as received,"
            + " or none to begin with a snapshot.");
  }

  // ---- projections

  public static ApiError pointersAndView() {
    return invalid(
        POINTERS,
        POINTERS
            + " and "
            + VIEW
            + " exclude each other. Choose one of them, leave out the other.");
  }

  public static ApiError tooManyPointers(int count, int max) {
    return pointersTooComplex(POINTERS + " has " + count + " pointers; at most " + max);
  }

  public static ApiError pointersTooLong(int bytes, int max) {
    return pointersTooComplex(POINTERS + " have " + bytes + " bytes; at most " + max);
  }

  private static ApiError pointersTooComplex(String found) {
    return ApiError.ofField(
        ErrorReason.ERROR_REASON_TOO_COMPLEX,
        POINTERS,
        found + " are allowed. Replace several pointers by their common parent, or choose a view.");
  }

  /**
   * Returns the error for text that is no JSON pointer.
   *
   * @param index index of the pointer in the request
   * @param detail message of the parser
   */
  public static ApiError notAPointer(int index, String detail) {
    String field = POINTERS + "[" + index + "]";
    return invalid(
        field,
        field
            + " "
            + detail
            + ". Name a part of the object by RFC 6901, as /metadata/labels or"
            + " /status/conditions, or choose a view.");
  }

  /**
   * Returns the error for patches that would have no state to apply to.
   *
   * @param start field of the request that names the start
   */
  public static ApiError patchWithoutState(String start) {
    return invalid(
        CHANGES,
        CHANGES
            + " PATCH cannot begin with "
            + start
            + ": a patch applies to an object as it was sent before, and nothing was. Begin with"
            + " a snapshot or a resume_token, or choose FULL.");
  }

  // ---- types and selections

  public static ApiError typeRequired() {
    return ApiError.ofField(
        ErrorReason.ERROR_REASON_FIELD_REQUIRED,
        TYPE + ".resource",
        "selection.resource_type.resource is required: a plural, singular, short name or"
            + " kind, such as \"pods\".");
  }

  public static ApiError typeNameTooLong(int length, int max) {
    return ApiError.ofField(
        ErrorReason.ERROR_REASON_TYPE_UNKNOWN,
        TYPE,
        "the apiserver knows no resource type with a name of "
            + length
            + " characters; "
            + max
            + " is the most. ListResourceTypes names those it knows.");
  }

  /**
   * Returns the error for a type that the apiserver does not have.
   *
   * @param near names that are similar
   */
  public static ApiError typeUnknown(String name, List<String> near) {
    return ApiError.ofField(
        ErrorReason.ERROR_REASON_TYPE_UNKNOWN,
        TYPE,
        "the apiserver knows no resource type \""
            + name
            + "\"."
            + (near.isEmpty()
                ? " ListResourceTypes names those it knows."
                : " Near: " + String.join(", ", near) + "."));
  }

  /**
   * Returns the error for a type without the verbs list and watch.
   *
   * @param verbs verbs that the apiserver has for the type
   */
  public static ApiError typeNotWatchable(String type, Iterable<String> verbs) {
    return ApiError.ofField(
        ErrorReason.ERROR_REASON_TYPE_NOT_WATCHABLE,
        TYPE,
        type
            + " cannot be listed and watched; the apiserver offers: "
            + String.join(", ", verbs)
            + ".");
  }

  public static ApiError typeNotServed(String type) {
    return ApiError.ofField(
        ErrorReason.ERROR_REASON_TYPE_NOT_SERVED,
        TYPE,
        type
            + " are not served by this gateway unless its configuration names them (--type "
            + type
            + ").");
  }

  /**
   * Returns the error of a selection.
   *
   * @param message text of the selection's parser
   * @param column column in the text of the field, from 1; 0: none
   */
  public static ApiError selection(ErrorReason reason, String message, String field, int column) {
    return new ApiError(reason, message, field, column, Duration.ZERO, null, null);
  }

  // ---- tokens

  public static ApiError resumeTokenMalformed(int bytes) {
    return ApiError.ofField(
        ErrorReason.ERROR_REASON_TOKEN_MALFORMED,
        RESUME_TOKEN,
        "resume_token is not a token of Watchgate, or it was changed on its way ("
            + bytes
            + " bytes). Send the bytes as received, or none to begin with a snapshot.");
  }

  public static ApiError resumeTokenOfOtherSelection() {
    return ApiError.ofField(
        ErrorReason.ERROR_REASON_TOKEN_OTHER_SELECTION,
        RESUME_TOKEN,
        "resume_token belongs to another resource type, selection or projection. Resume"
            + " with the request that it was received for, or begin without it.");
  }

  public static ApiError pageTokenMalformed() {
    return ApiError.ofField(
        ErrorReason.ERROR_REASON_TOKEN_MALFORMED,
        PAGE_TOKEN,
        "page_token is not a token of Watchgate. Send the bytes as received, or none for the"
            + " first page.");
  }

  public static ApiError pageTokenOfOtherSelection() {
    return ApiError.ofField(
        ErrorReason.ERROR_REASON_TOKEN_OTHER_SELECTION,
        PAGE_TOKEN,
        "page_token belongs to another resource type, selection or projection. Send it with"
            + " the request that it was received for.");
  }

  public static ApiError pageExpired() {
    return ApiError.ofField(
        ErrorReason.ERROR_REASON_PAGE_EXPIRED,
        PAGE_TOKEN,
        "the list that page_token belongs to is no longer held. Start the list again, without"
            + " it.");
  }
}
