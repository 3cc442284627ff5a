package io.watchgate.client;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Detail of an error status: the messages of {@code google.rpc} that a gateway sends, parsed by
 * field number. The library with generated classes for these messages is 3 MB, most of it unused
 * here.
 */
sealed interface ErrorDetail {

  /** An {@code ErrorInfo}. */
  record Info(String reason, String domain, Map<String, String> metadata) implements ErrorDetail {}

  /** A {@code RetryInfo}. */
  record Retry(Duration after) implements ErrorDetail {}

  /** A {@code BadRequest}: the invalid fields of a request with a description of each. */
  record BadRequest(List<Violation> violations) implements ErrorDetail {}

  /** Violation of one field. */
  record Violation(String field, String description) {}

  /**
   * Returns the details in order. Unreadable details and details of other types are left out.
   *
   * @param status a {@code google.rpc.Status}
   */
  static List<ErrorDetail> read(byte[] status) {
    List<ErrorDetail> details = new ArrayList<>();
    try {
      for (ByteString any : messages(UnknownFieldSet.parseFrom(status), 3)) {
        read(Any.parseFrom(any)).ifPresent(details::add);
      }
    } catch (InvalidProtocolBufferException unreadable) {
      log().debug("The details of an error cannot be read; its trailers remain", unreadable);
    }
    return details;
  }

  private static Optional<ErrorDetail> read(Any any) {
    String url = any.getTypeUrl();
    try {
      UnknownFieldSet fields = UnknownFieldSet.parseFrom(any.getValue());
      return switch (url.substring(url.lastIndexOf('/') + 1)) {
        case "google.rpc.ErrorInfo" ->
            Optional.of(new Info(text(fields, 1), text(fields, 2), map(fields, 3)));
        case "google.rpc.RetryInfo" ->
            Optional.of(
                new Retry(
                    WireTime.duration(com.google.protobuf.Duration.parseFrom(message(fields, 1)))));
        case "google.rpc.BadRequest" -> Optional.of(badRequest(fields));
        default -> Optional.empty();
      };
    } catch (InvalidProtocolBufferException unreadable) {
      log().debug("A detail of an error cannot be read; its code and trailers remain", unreadable);
      return Optional.empty();
    }
  }

  private static BadRequest badRequest(UnknownFieldSet fields)
      throws InvalidProtocolBufferException {
    List<Violation> violations = new ArrayList<>();
    for (ByteString bytes : messages(fields, 1)) {
      UnknownFieldSet violation = UnknownFieldSet.parseFrom(bytes);
      violations.add(new Violation(text(violation, 1), text(violation, 2)));
    }
    return new BadRequest(List.copyOf(violations));
  }

  private static Map<String, String> map(UnknownFieldSet fields, int number)
      throws InvalidProtocolBufferException {
    Map<String, String> map = new HashMap<>();
    for (ByteString bytes : messages(fields, number)) {
      UnknownFieldSet entry = UnknownFieldSet.parseFrom(bytes);
      map.put(text(entry, 1), text(entry, 2));
    }
    return Map.copyOf(map);
  }

  private static String text(UnknownFieldSet fields, int number) {
    return message(fields, number).toStringUtf8();
  }

  /** Returns the last value of a repeated field, and the empty message if the field is missing. */
  private static ByteString message(UnknownFieldSet fields, int number) {
    List<ByteString> all = messages(fields, number);
    return all.isEmpty() ? ByteString.EMPTY : all.get(all.size() - 1);
  }

  private static List<ByteString> messages(UnknownFieldSet fields, int number) {
    return fields.getField(number).getLengthDelimitedList();
  }

  /** Created on first use, because reading a logging configuration takes time. */
  private static Logger log() {
    return LoggerFactory.getLogger(WatchError.class);
  }
}
