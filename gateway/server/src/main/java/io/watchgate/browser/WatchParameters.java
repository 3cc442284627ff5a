package io.watchgate.browser;

import com.google.protobuf.ByteString;
import io.watchgate.error.ApiException;
import io.watchgate.error.RequestErrors;
import io.watchgate.grpc.ResourceTypeText;
import io.watchgate.proto.v1.Delivery;
import io.watchgate.proto.v1.ExpiredPositionPolicy;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ObjectView;
import io.watchgate.proto.v1.Projection;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.Selection;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Parser of the parameters of {@code /v1/watch}. Unlike those of the Kubernetes API, an unknown or
 * repeated one is an error: a mistyped selector must not select everything.
 */
final class WatchParameters {
  private static final List<String> KNOWN =
      List.of("resource", "namespace", "labels", "fields", "view", "client", "expired");

  private static final String VIEW = "OBJECT_VIEW_";
  private static final String EXPIRED = "EXPIRED_POSITION_POLICY_";

  private final Map<String, String> values;

  private WatchParameters(Map<String, String> values) {
    this.values = values;
  }

  /**
   * Returns the request of a watch.
   *
   * @param query part of the URL after the question mark, encoded; empty: none
   * @param lastEventId header {@code Last-Event-ID}; empty: none
   * @throws ApiException which names the parameter and what to write instead
   */
  static ListAndWatchRequest parse(String query, String lastEventId) throws ApiException {
    WatchParameters parameters = new WatchParameters(decode(query));
    ListAndWatchRequest.Builder request =
        ListAndWatchRequest.newBuilder()
            .setSelection(parameters.selection())
            .setProjection(Projection.newBuilder().setView(parameters.view()))
            .setDelivery(Delivery.newBuilder().setExpiredPositionPolicy(parameters.expiredPolicy()))
            .setClientName(parameters.text("client"));
    if (!lastEventId.isEmpty()) {
      request.setResumeToken(token(lastEventId));
    }
    return request.build();
  }

  private static Map<String, String> decode(String query) throws ApiException {
    Map<String, String> values = new LinkedHashMap<>();
    for (String pair : query.isEmpty() ? new String[0] : query.split("&", -1)) {
      int equals = pair.indexOf('=');
      String name = decoded(equals < 0 ? pair : pair.substring(0, equals));
      if (!KNOWN.contains(name)) {
        throw new ApiException(
            isCredential(name)
                ? RequestErrors.tokenInUrl(name)
                : RequestErrors.unknownParameter(name, KNOWN));
      }
      if (values.put(name, decoded(equals < 0 ? "" : pair.substring(equals + 1))) != null) {
        throw new ApiException(RequestErrors.repeatedParameter(name));
      }
    }
    return values;
  }

  private static String decoded(String text) throws ApiException {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new ApiException(RequestErrors.undecodableParameters());
    }
  }

  /** Returns whether the value of a parameter is likely a secret, by its name. */
  private static boolean isCredential(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return Stream.of("token", "auth", "bearer", "jwt", "key").anyMatch(lower::contains);
  }

  private String text(String name) {
    return values.getOrDefault(name, "");
  }

  private Selection selection() throws ApiException {
    String typed = text("resource");
    if (typed.isEmpty()) {
      throw new ApiException(RequestErrors.resourceRequired());
    }
    ResourceType type =
        ResourceTypeText.parse(typed)
            .orElseThrow(() -> new ApiException(RequestErrors.notAType(typed)));
    Selection.Builder selection =
        Selection.newBuilder()
            .setResourceType(type)
            .setLabelSelector(text("labels"))
            .setFieldSelector(text("fields"));
    String namespaces = values.get("namespace");
    if (namespaces != null) { // an empty one is refused with the rest of the selection
      selection.addAllNamespaces(Arrays.asList(namespaces.split(",", -1)));
    }
    return selection.build();
  }

  private ObjectView view() throws ApiException {
    return ObjectView.valueOf(VIEW + constant("view", VIEW, ObjectView.values()));
  }

  private ExpiredPositionPolicy expiredPolicy() throws ApiException {
    return ExpiredPositionPolicy.valueOf(
        EXPIRED + constant("expired", EXPIRED, ExpiredPositionPolicy.values()));
  }

  /** Returns the constant that a word names, without its prefix; UNSPECIFIED without a word. */
  private String constant(String parameter, String prefix, Enum<?>[] constants)
      throws ApiException {
    String word = values.get(parameter);
    if (word == null) {
      return "UNSPECIFIED";
    }
    List<String> words =
        Arrays.stream(constants)
            .map(Enum::name)
            .filter(name -> name.startsWith(prefix) && !name.endsWith("_UNSPECIFIED"))
            .map(name -> name.substring(prefix.length()).replace('_', '-').toLowerCase(Locale.ROOT))
            .toList();
    if (!words.contains(word)) {
      throw new ApiException(RequestErrors.notAWord(parameter, word, words));
    }
    return word.replace('-', '_').toUpperCase(Locale.ROOT);
  }

  private static ByteString token(String lastEventId) throws ApiException {
    try {
      return ByteString.copyFrom(Base64.getUrlDecoder().decode(lastEventId));
    } catch (IllegalArgumentException e) {
      throw new ApiException(RequestErrors.lastEventIdMalformed());
    }
  }
}
