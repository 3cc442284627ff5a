package io.watchgate.http;

import java.util.Map;

/**
 * Write request.
 *
 * @param query the first value of each parameter, decoded
 * @param contentType the media type of the body, without parameters and in lower case; empty
 *     without one
 * @param userAgent the header, empty if there is none. Its part before the first {@code /} is the
 *     field manager if the query names none
 * @param body at most 3 MiB, as at an apiserver; YAML and JSON as received
 */
@SuppressWarnings("ArrayRecordComponent") // read once, never compared
public record WriteRequest(
    Method method,
    ApiPath path,
    Map<String, String> query,
    String contentType,
    String userAgent,
    byte[] body) {

  /** Method of a write. DELETE without a name is a deletecollection. */
  public enum Method {
    POST,
    PUT,
    PATCH,
    DELETE
  }

  public WriteRequest {
    query = Map.copyOf(query);
  }
}
