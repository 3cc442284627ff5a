package io.watchgate.http;

import io.watchgate.auth.AccessAttributes;
import io.watchgate.cache.ApiResource;
import io.watchgate.cache.Cluster;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.cache.TypeReference;
import io.watchgate.encode.ObjectProjection;
import io.watchgate.http.ProxyRoute.FromCache;
import io.watchgate.http.ProxyRoute.ToApiserver;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.eclipse.jetty.http.HttpHeader;

/**
 * Router of the requests to a caching proxy. A read is routed to the cache only if the router knows
 * every part of the request; {@link CachedAnswers#answer} may still relay the read. Every other
 * read is relayed, so the apiserver answers a read with a new parameter of Kubernetes. Thread-safe;
 * may block while the apiserver is asked for a type.
 */
final class ProxyRouter {
  private static final Set<String> GET_PARAMETERS = Set.of("resourceVersion", "timeout");

  /** {@code timeout} limits a request, not a watch; client-go sends it beside timeoutSeconds. */
  private static final Set<String> LIST_PARAMETERS =
      Set.of(
          "allowWatchBookmarks",
          "continue",
          "fieldSelector",
          "labelSelector",
          "limit",
          "resourceVersion",
          "resourceVersionMatch",
          "sendInitialEvents",
          "timeout",
          "timeoutSeconds",
          "watch");

  /** Types that are written much and read little: only cached if something else has opened them. */
  private static final Set<String> BUSY_TYPES =
      Set.of("events", "events.events.k8s.io", "leases.coordination.k8s.io");

  /**
   * Subresources that controllers and kubectl write, whose requests are answered like those for an
   * object. All others are refused: they change the protocol of the connection, reach the network
   * behind the apiserver, or stream.
   */
  private static final Set<String> SUBRESOURCES =
      Set.of(
          "approval",
          "binding",
          "ephemeralcontainers",
          "eviction",
          "finalize",
          "resize",
          "scale",
          "status",
          "token");

  private static final Set<String> SUBRESOURCE_METHODS =
      Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE");

  private static final String TO_APISERVER = "send them to the apiserver";

  /** Longest name of a type that is looked for: the search for near names is slow for long ones. */
  private static final int MAX_NAME = 253;

  private static final Pattern GO_DURATION =
      Pattern.compile("0|[-+]?(?:(?:[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)(?:ns|us|[µμ]s|ms|s|m|h))++");

  private static final Pattern DOT_SEGMENT = Pattern.compile("/\\.{1,2}(/|$)");

  private final ProxyContext.Types types;
  private final ProxySettings settings;
  private final Predicate<ApiExchange> isUnknownCaller;

  /**
   * @param isUnknownCaller whether a request has no credentials although callers are identified; it
   *     causes no discovery
   */
  ProxyRouter(
      ProxyContext.Types types, ProxySettings settings, Predicate<ApiExchange> isUnknownCaller) {
    this.types = types;
    this.settings = settings;
    this.isUnknownCaller = isUnknownCaller;
  }

  /**
   * Returns the route of a request.
   *
   * @throws StatusException for requests that are not served
   */
  ProxyRoute route(ApiExchange exchange) throws StatusException, InterruptedException {
    ProxyHeaders.check(exchange.request().getHeaders());
    String raw = exchange.request().getHttpURI().getPath();
    if (raw == null) { // CONNECT over HTTP/2
      throw StatusErrors.notAllowed();
    }
    if (raw.startsWith("//") || raw.indexOf('\\') >= 0 || DOT_SEGMENT.matcher(raw).find()) {
      throw StatusErrors.badRequest(
          "the path is ambiguous: it begins with //, or has a backslash, . or ..");
    }
    // To the apiserver a semicolon is part of a name. Jetty cuts the rest off, as a parameter.
    boolean hasParameter = raw.contains(";");
    String asRelayed = hasParameter ? decoded(raw) : exchange.path();
    Optional<ApiPath> path = ApiPath.parse(asRelayed);
    String upgrade = exchange.header(HttpHeader.UPGRADE).toLowerCase(Locale.ROOT);
    if (upgrade.equals("websocket") && path.isPresent() && isWatch(path.get(), exchange)) {
      return ProxyRoute.EmptyStream.EMPTY_STREAM;
    }
    if (!upgrade.isEmpty() && !upgrade.equals("h2c")) {
      throw StatusErrors.notServedByProxy("connections that change their protocol", TO_APISERVER);
    }
    if (path.map(it -> !it.subresource().isEmpty()).orElse(isBelowResource(asRelayed))) {
      return subresource(path, exchange.request().getMethod());
    }
    return switch (exchange.request().getMethod()) {
      case "GET" ->
          path.isEmpty() || hasParameter ? to(RelayReason.OTHER_PATH) : read(path.get(), exchange);
      case "HEAD" -> to(RelayReason.METHOD);
      case "POST", "PUT", "PATCH", "DELETE" -> write();
      default -> throw StatusErrors.notAllowed();
    };
  }

  /** Returns the path with its semicolons, which the server's own decoding cuts off. */
  private static String decoded(String raw) {
    return URLDecoder.decode(raw.replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  /** Returns the verb of a request for metrics: get, list or watch of a resource, or other. */
  static String verbLabel(ApiExchange exchange) {
    return verb(exchange).map(AccessAttributes.Verb::text).orElse("other");
  }

  /** Returns the verb of a read of a resource; empty for any other request. */
  static Optional<AccessAttributes.Verb> verb(ApiExchange exchange) {
    return ApiPath.parse(exchange.path())
        .filter(path -> path.subresource().isEmpty())
        .filter(path -> exchange.request().getMethod().equals("GET"))
        .map(
            path -> {
              if (isWatch(path, exchange)) {
                return AccessAttributes.Verb.WATCH;
              }
              return path.name().isEmpty() ? AccessAttributes.Verb.LIST : AccessAttributes.Verb.GET;
            });
  }

  private ProxyRoute write() throws StatusException {
    return switch (settings.writes()) {
      case RELAYED -> to(RelayReason.METHOD);
      case REFUSED ->
          throw StatusErrors.notServedByProxy(
              "writes", TO_APISERVER + "; serve --kube-relay-writes would relay them");
    };
  }

  private ProxyRoute subresource(Optional<ApiPath> path, String method) throws StatusException {
    if (!SUBRESOURCE_METHODS.contains(method)) {
      throw StatusErrors.notAllowed();
    }
    if (path.filter(ProxyRouter::hasRelayableSubresource).isEmpty()) {
      throw StatusErrors.notServedByProxy("requests for this subresource", TO_APISERVER);
    }
    return switch (settings.writes()) {
      case RELAYED -> to(RelayReason.SUBRESOURCE);
      case REFUSED ->
          throw StatusErrors.notServedByProxy(
              "subresources", TO_APISERVER + "; serve --kube-relay-writes would relay this one");
    };
  }

  private static boolean hasRelayableSubresource(ApiPath path) {
    return path.form() == ApiPath.Form.PLAIN && SUBRESOURCES.contains(path.subresource());
  }

  private static boolean isWatch(ApiPath path, ApiExchange exchange) {
    return path.form() == ApiPath.Form.LEGACY_WATCH || exchange.query().flag("watch");
  }

  /** Returns whether a path that is not that of a resource is below one, such as a proxy's. */
  private static boolean isBelowResource(String path) {
    List<String> parts = List.of(path.replaceAll("^/+", "").split("/+", -1));
    return (parts.getFirst().equals("api") && parts.size() > 4)
        || (parts.getFirst().equals("apis") && parts.size() > 5);
  }

  private static ToApiserver to(RelayReason reason) {
    return new ToApiserver(reason);
  }

  private ProxyRoute read(ApiPath path, ApiExchange exchange) throws InterruptedException {
    boolean single = path.isObject();
    Set<String> known = single ? GET_PARAMETERS : LIST_PARAMETERS;
    if (!known.containsAll(exchange.query().first().keySet())) {
      return to(RelayReason.PARAMETERS);
    }
    Optional<CachedFormat> format = CachedFormat.of(exchange.accept());
    if (format.isEmpty()) {
      return to(RelayReason.FORMAT);
    }
    Optional<ListOptions> options;
    try {
      options =
          single ? Optional.empty() : Optional.of(ListOptions.of(exchange.query(), path.form()));
    } catch (StatusException e) {
      return to(RelayReason.PARAMETERS);
    }
    boolean watch = options.filter(it -> it.verb() == ListOptions.Verb.WATCH).isPresent();
    if (!hasValidTimeout(exchange)
        || !format.get().fits(single, watch)
        || (watch && exchange.query().has("timeout") && !exchange.query().has("timeoutSeconds"))) {
      return to(RelayReason.PARAMETERS);
    }
    if (single && exchange.query().text("resourceVersion").isEmpty()) {
      return to(RelayReason.CONSISTENT_GET);
    }
    if (isUnknownCaller.test(exchange)) {
      return to(RelayReason.UNKNOWN_CALLER); // the apiserver may allow anonymous calls
    }
    return ofType(path, format.get(), options);
  }

  private static boolean hasValidTimeout(ApiExchange exchange) {
    String timeout = exchange.query().text("timeout");
    return timeout.isEmpty() || GO_DURATION.matcher(timeout).matches();
  }

  private ProxyRoute ofType(ApiPath path, CachedFormat format, Optional<ListOptions> options)
      throws InterruptedException {
    Optional<TypeDefinition> definition = find(path);
    if (definition.isEmpty()) {
      return to(RelayReason.TYPE);
    }
    ApiResource type = definition.get().type();
    FromCache route =
        new FromCache(
            new ResourceReads.Read(
                new ServedResource(definition.get(), List.of(), List.of()),
                path,
                format.wanted(),
                format.dropsManagedFields()
                    ? ObjectProjection.NO_MANAGED_FIELDS
                    : ObjectProjection.FULL),
            options);
    boolean needsOpen = route.needsOpenType() || BUSY_TYPES.contains(type.groupResource());
    return needsOpen && !types.isOpen().test(type) ? to(RelayReason.CLOSED_TYPE) : route;
  }

  private Optional<TypeDefinition> find(ApiPath path) throws InterruptedException {
    if (Stream.of(path.group(), path.version(), path.resource())
        .anyMatch(part -> part.length() > MAX_NAME)) {
      return Optional.empty();
    }
    TypeReference name = new TypeReference(path.group(), path.version(), path.resource());
    return types.cluster().resolve(name) instanceof Cluster.Found(TypeDefinition found)
            && found.type().reference().equals(name)
            && found.isWatchable()
            && found.verbs().contains("get")
            && (found.type().isNamespaced() || path.namespace().isEmpty())
            && (!found.type().isNamespaced() || path.name().isEmpty() || hasNamespace(path))
            && types.isServed().test(found.type())
        ? Optional.of(found)
        : Optional.empty();
  }

  /** An object of a namespaced type has no path without a namespace. */
  private static boolean hasNamespace(ApiPath path) {
    return !path.namespace().isEmpty();
  }
}
