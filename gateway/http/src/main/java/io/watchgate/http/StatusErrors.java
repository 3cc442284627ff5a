package io.watchgate.http;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.ResourceVersion;
import io.watchgate.http.StatusException.Cause;
import io.watchgate.http.StatusException.Details;
import java.util.List;

/** Factory of the apiserver's errors, with its messages (1.36.3). */
public final class StatusErrors {
  /** Delay after which a client may repeat a request, in seconds: {@code Retry-After}. */
  private static final int RETRY_AFTER_SECONDS = 1;

  private static final Details RETRY = new Details("", "", "", List.of(), RETRY_AFTER_SECONDS);

  private static final Details TOO_LARGE_VERSION =
      new Details(
          "",
          "",
          "",
          List.of(new Cause("ResourceVersionTooLarge", "Too large resource version", "")),
          RETRY_AFTER_SECONDS);

  private StatusErrors() {}

  public static StatusException badRequest(String message) {
    return new StatusException(400, "BadRequest", message, Details.NONE);
  }

  public static StatusException noSuchResource() {
    return new StatusException(
        404, "NotFound", "the server could not find the requested resource", Details.NONE);
  }

  public static StatusException noSuchObject(ApiResource type, String name) {
    return new StatusException(
        404,
        "NotFound",
        type.groupResource() + " \"" + name + "\" not found",
        new Details(name, type.group(), type.resource(), List.of(), 0));
  }

  public static StatusException notAllowed() {
    return new StatusException(
        405,
        "MethodNotAllowed",
        "the server does not allow this method on the requested resource",
        Details.NONE);
  }

  /**
   * Returns the error for a request that a caching proxy does not serve.
   *
   * @param what requests of that kind, in the plural
   * @param remedy imperative
   */
  static StatusException notServedByProxy(String what, String remedy) {
    return new StatusException(
        405,
        "MethodNotAllowed",
        "this gateway serves reads; " + what + " are not served: " + remedy,
        Details.NONE);
  }

  /** Returns the error for the holder of a client certificate whose request is not served here. */
  static StatusException certificateNotRelayed() {
    return new StatusException(
        403,
        "Forbidden",
        "this gateway cannot pass a client certificate on, and only the apiserver can answer this"
            + " request: send it to the apiserver, or authenticate with a bearer token",
        Details.NONE);
  }

  /** Returns the error for the holder of a client certificate who has reached a limit. */
  static StatusException limitOfCertificate() {
    return overLimit(
        "a limit of this gateway is reached, and it cannot pass a client certificate on to the"
            + " apiserver: send the request again, or authenticate with a bearer token");
  }

  /** Returns the error for the holder of a client certificate whose version is before history. */
  static StatusException oldVersionOfCertificate() {
    return expired(
        "too old resource version: this gateway does not have the changes since; list again");
  }

  /** Returns the error for a request with another host name than that of this machine. */
  static StatusException foreignHost() {
    return new StatusException(
        403,
        "Forbidden",
        "this gateway does not authenticate callers and listens on loopback, so the host of a"
            + " request must be localhost or an address: otherwise a web page could read this API"
            + " through a host name of its own. Use http://127.0.0.1 or http://localhost with the"
            + " port",
        Details.NONE);
  }

  /** Returns an apiserver's error for credentials that it does not accept. */
  static StatusException unauthorized() {
    return new StatusException(401, "Unauthorized", "Unauthorized", Details.NONE);
  }

  /** Returns the error for a request that needs the apiserver, which cannot be reached now. */
  static StatusException apiserverUnreachable() {
    return new StatusException(
        503,
        "ServiceUnavailable",
        "the apiserver, which this request needs, cannot be reached now",
        RETRY);
  }

  /**
   * Returns the error for a write that may have been executed. Without a Retry-After: clients
   * repeat every request that has one, and the write would be executed twice.
   */
  static StatusException outcomeUnknown() {
    return new StatusException(
        504,
        "Timeout",
        "the apiserver, to which this write was relayed, did not answer: it may have been executed",
        Details.NONE);
  }

  /** Returns the error for a request to a gateway that ends. */
  static StatusException draining() {
    return new StatusException(
        503,
        "ServiceUnavailable",
        "this gateway shuts down; send the request again, to another replica or once it is back",
        RETRY);
  }

  /** Returns the error for a client above a limit. */
  static StatusException overLimit(String message) {
    return new StatusException(429, "TooManyRequests", message, RETRY);
  }

  static StatusException notAcceptable(String message) {
    return new StatusException(406, "NotAcceptable", message, Details.NONE);
  }

  static StatusException expired(String message) {
    return new StatusException(410, "Expired", message, Details.NONE);
  }

  /**
   * Returns the error for a page of a list whose revision is no longer kept.
   *
   * @param present token to continue the list at the newest revision
   */
  static StatusException pageExpired(ContinueToken present) {
    return expired(
            "The provided continue parameter is too old to display a consistent list result. You"
                + " can start a new list without the continue parameter, or use the continue token"
                + " in this response to retrieve the remainder of the results. Continuing with the"
                + " provided token results in an inconsistent list - objects that were created,"
                + " modified, or deleted between the time the first chunk was returned and now may"
                + " show up in the list.")
        .withContinue(present.encode());
  }

  static StatusException tooLarge(int limit) {
    return new StatusException(
        413, "RequestEntityTooLarge", "Request entity too large: limit is " + limit, Details.NONE);
  }

  /** Returns the error for a watch from a version before the cluster's timeline changed. */
  static StatusException lostHistory() {
    return expired(
        "too old resource version: the cluster's timeline has changed since that version, for"
            + " example because the cluster was restored from a backup; list again");
  }

  /** Returns one error that names everything that is wrong with the options of a list. */
  static StatusException invalidOptions(List<Cause> causes) {
    List<String> all =
        causes.stream().map(cause -> cause.field() + ": " + cause.message()).toList();
    String text = all.size() == 1 ? all.getFirst() : "[" + String.join(", ", all) + "]";
    return new StatusException(
        422,
        "Invalid",
        "ListOptions.meta.k8s.io \"\" is invalid: " + text,
        new Details("", "meta.k8s.io", "ListOptions", causes, 0));
  }

  /** Returns the error for a type that has no state yet, or whose definition has just changed. */
  public static StatusException loading() {
    return new StatusException(429, "TooManyRequests", "storage is (re)initializing", RETRY);
  }

  /**
   * Returns the error for a watch from a version after which changes are not kept, or not known.
   *
   * @param later version from which a watch can begin
   */
  static StatusException tooOldVersion(String wanted, String later) {
    return expired("too old resource version: %s (%s)".formatted(wanted, later));
  }

  /** Returns the error for {@link ReadLimitException}. */
  static StatusException tooManyWatches() {
    return overLimit("Too many requests, please try again later.");
  }

  /** Returns an error without details, which are in the log. */
  static StatusException internal() {
    return new StatusException(
        500, "InternalError", "an error in the server, which its log describes", RETRY);
  }

  static StatusException versionTooLarge(ResourceVersion wanted, ResourceVersion current) {
    return new StatusException(
        504,
        "Timeout",
        "Timeout: Too large resource version: " + wanted + ", current: " + current,
        TOO_LARGE_VERSION);
  }

  /** Returns the error for the holder of a client certificate whose version is not reached yet. */
  static StatusException versionNotReached() {
    return new StatusException(
        504, "Timeout", "Timeout: Too large resource version", TOO_LARGE_VERSION);
  }
}
