package io.watchgate.http;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Router of the requests to a sandbox. A request that cannot be answered gets a Status. Called on
 * virtual threads, which may block.
 */
final class SandboxRouter extends Handler.Abstract {
  private static final Logger LOG = LoggerFactory.getLogger(SandboxRouter.class);

  private final ResourceCatalog catalog;
  private final SandboxReadHandler resourceHandler;

  SandboxRouter(ResourceCatalog catalog, SandboxReadHandler resourceHandler) {
    this.catalog = catalog;
    this.resourceHandler = resourceHandler;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    ApiExchange exchange = ApiExchange.of(request, response, callback);
    try {
      route(exchange);
    } catch (StatusException e) {
      exchange.refuse(e);
    } catch (IOException e) {
      exchange.abandon(e); // the client has gone, or reads too slowly
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      callback.failed(e);
    } catch (RuntimeException e) {
      LOG.error("{} {} failed", request.getMethod(), exchange.path(), e);
      if (response.isCommitted()) {
        callback.failed(e);
      } else {
        exchange.refuse(StatusErrors.internal());
      }
    }
    return true;
  }

  private void route(ApiExchange exchange)
      throws StatusException, IOException, InterruptedException {
    ResourceIndex resources = new ResourceIndex(catalog.resources());
    Optional<ApiPath> path = ApiPath.parse(exchange.path());
    if (path.isPresent()) {
      resourceHandler.answer(resources, path.get(), exchange);
      return;
    }
    if (!exchange.request().getMethod().equals("GET")) {
      throw StatusErrors.notAllowed();
    }
    List<String> parts =
        Arrays.stream(exchange.path().split("/", -1)).filter(part -> !part.isEmpty()).toList();
    switch (parts.isEmpty() ? "" : parts.getFirst()) {
      case "" -> json(new DiscoveryDocument(resources).paths(), exchange);
      case "api", "apis" -> discovery(resources, parts, exchange);
      case "openapi" -> openApi(resources, parts, exchange);
      case "version" -> json(ServerVersion.json(), exchange);
      case "healthz", "livez", "readyz" -> exchange.text(200, "ok");
      default -> exchange.pageNotFound();
    }
  }

  private static void discovery(ResourceIndex resources, List<String> parts, ApiExchange exchange) {
    boolean core = parts.getFirst().equals("api");
    if (parts.size() == 1) {
      if (AggregatedDiscoveryDocument.isWanted(exchange.accept())) {
        AggregatedDiscoveryDocument discovery = new AggregatedDiscoveryDocument(resources);
        exchange.beginJson(200);
        exchange
            .response()
            .getHeaders()
            .put(HttpHeader.CONTENT_TYPE, AggregatedDiscoveryDocument.MEDIA_TYPE);
        exchange.response().getHeaders().put(HttpHeader.VARY, "Accept");
        exchange.document(HttpJsonText.document(core ? discovery.core() : discovery.groups()));
        return;
      }
      DiscoveryDocument discovery = new DiscoveryDocument(resources);
      String host = exchange.header(HttpHeader.HOST);
      json(core ? discovery.coreVersions(host) : discovery.groups(), exchange);
      return;
    }
    String group = core ? "" : parts.get(1);
    List<String> versions = resources.versions().getOrDefault(group, List.of());
    int versionAt = core ? 1 : 2;
    if (!versions.isEmpty() && parts.size() == versionAt) {
      json(new DiscoveryDocument(resources).group(group), exchange);
    } else if (parts.size() == versionAt + 1 && versions.contains(parts.get(versionAt))) {
      json(new DiscoveryDocument(resources).resources(group, parts.get(versionAt)), exchange);
    } else {
      exchange.pageNotFound();
    }
  }

  private static void openApi(ResourceIndex resources, List<String> parts, ApiExchange exchange)
      throws StatusException {
    OpenApi openApi = new OpenApi(resources);
    String path = String.join("/", parts.subList(1, parts.size()));
    switch (path) {
      case "v2" -> {
        if (exchange.accept().clauses().stream().noneMatch(AcceptHeader.Clause::acceptsJson)) {
          throw StatusErrors.notAcceptable("OpenAPI v2 is served as application/json only");
        }
        json(openApi.swagger(), exchange);
      }
      case "v3" -> json(openApi.index(), exchange);
      default ->
          openApi
              .document(path)
              .ifPresentOrElse(found -> json(found, exchange), exchange::pageNotFound);
    }
  }

  private static void json(JsonObject document, ApiExchange exchange) {
    exchange.json(200, HttpJsonText.document(document));
  }
}
