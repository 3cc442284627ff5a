package io.watchgate.http;

import io.watchgate.cache.Revision;
import io.watchgate.cache.TimeSource;
import io.watchgate.http.ServedResource.Subresource;
import io.watchgate.json.KubeObject;
import io.watchgate.select.SelectableFields;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.eclipse.jetty.http.HttpHeader;
import org.jspecify.annotations.Nullable;

/** Handler of requests to a resource: get, list and watch. Writes are passed to another handler. */
final class ResourceHandler {
  private final ResourceCatalog catalog;
  private final @Nullable WriteHandler writes;
  private final HttpWatches watches;
  private final TimeSource time;
  private final HttpSettings settings;

  ResourceHandler(
      ResourceCatalog catalog,
      @Nullable WriteHandler writes,
      HttpWatches watches,
      TimeSource time,
      HttpSettings settings) {
    this.catalog = catalog;
    this.writes = writes;
    this.watches = watches;
    this.time = time;
    this.settings = settings;
  }

  void answer(ResourceIndex resources, ApiPath path, Exchange exchange)
      throws StatusException, IOException, InterruptedException {
    ServedResource resource = resources.find(path);
    if (resource == null) {
      if (resources.isBuiltInGroup(path.group())) {
        throw StatusErrors.noSuchResource();
      }
      exchange.pageNotFound();
      return;
    }
    if (!path.subresource().isEmpty()) {
      checkSubresource(resource, path, exchange);
    }
    if (exchange.request().getMethod().equals("GET")) {
      read(resource, path, exchange);
    } else if (writes == null) {
      throw StatusErrors.notAllowed();
    } else {
      writes.answer(resource, path, exchange);
    }
  }

  private static void checkSubresource(ServedResource resource, ApiPath path, Exchange exchange)
      throws StatusException {
    Subresource subresource =
        ResourceIndex.subresource(resource, path.subresource())
            .orElseThrow(StatusErrors::noSuchResource);
    boolean get = exchange.request().getMethod().equals("GET");
    if (get && !subresource.verbs().contains("get")) {
      throw StatusErrors.notAllowed();
    }
  }

  private void read(ServedResource resource, ApiPath path, Exchange exchange)
      throws StatusException, IOException, InterruptedException {
    ResponseFormat wanted = ResponseFormat.of(exchange.accept(), exchange.query());
    if (path.name().isEmpty() || path.form() == ApiPath.Form.LEGACY_WATCH) {
      ListOptions options = ListOptions.of(exchange.query(), path.form());
      switch (options.verb()) {
        case LIST -> list(resource, path, options, wanted, exchange);
        case WATCH -> watch(resource, path, options, wanted, exchange);
      }
    } else {
      get(resource, path, wanted, exchange);
    }
  }

  private void get(ServedResource resource, ApiPath path, ResponseFormat wanted, Exchange exchange)
      throws StatusException, InterruptedException {
    ObjectEncoder form = forms(resource).ofObject(wanted);
    RequestedVersion version =
        RequestedVersion.ofGetOrWatch(exchange.query().text("resourceVersion"));
    try (ResourceCatalog.Source source = open(resource)) {
      if (source == null) {
        exchange.pageNotFound();
        return;
      }
      Revision head = new HttpVersionWait(source, settings.positionWait()).awaitHead(version);
      KubeObject object = head.state().get(key(path));
      if (object == null) {
        throw StatusErrors.noSuchObject(ResourceIndex.type(resource), path.name());
      }
      ByteBuilder out = new ByteBuilder(object.bytes().length + 1);
      form.object(object.bytes(), out);
      exchange.json(200, out.append('\n').toArray());
    }
  }

  private static byte[] key(ApiPath path) {
    String key = path.namespace().isEmpty() ? path.name() : path.namespace() + "/" + path.name();
    return key.getBytes(StandardCharsets.UTF_8);
  }

  private void list(
      ServedResource resource,
      ApiPath path,
      ListOptions options,
      ResponseFormat wanted,
      Exchange exchange)
      throws StatusException, IOException, InterruptedException {
    ObjectFilter filter = filter(resource, path, options);
    ObjectEncoder form = forms(resource).ofList(wanted);
    try (ResourceCatalog.Source source = open(resource)) {
      if (source == null) {
        exchange.pageNotFound();
        return;
      }
      new ListHandler(source, filter, options, settings.positionWait()).list(form, exchange);
      exchange.callback().succeeded();
    }
  }

  private void watch(
      ServedResource resource,
      ApiPath path,
      ListOptions options,
      ResponseFormat wanted,
      Exchange exchange)
      throws StatusException, InterruptedException {
    ObjectFilter filter = filter(resource, path, options);
    ObjectEncoder form = forms(resource).of(wanted);
    if ("websocket".equalsIgnoreCase(exchange.request().getHeaders().get(HttpHeader.UPGRADE))) {
      // WebSockets are not supported. A client that asked for one waits for the end of this
      // response, then watches without. A client that is refused might retry for a long time.
      exchange.emptyStream();
      return;
    }
    if (wanted.kind() == ResponseFormat.Kind.PARTIAL_OBJECT_METADATA_LIST) {
      exchange.emptyStream(); // the first event cannot be encoded: it is no list
      return;
    }
    ResourceCatalog.Source source = open(resource);
    if (source == null) {
      exchange.pageNotFound();
      return;
    }
    watches.open(resource.definition(), options, filter, form, source, exchange);
  }

  private ResourceCatalog.@Nullable Source open(ServedResource resource) {
    return catalog.open(resource.definition()).orElse(null);
  }

  private static ObjectFilter filter(ServedResource resource, ApiPath path, ListOptions options)
      throws StatusException {
    return ObjectFilter.of(SelectableFields.of(resource.definition()), path, options);
  }

  private ObjectEncoders forms(ServedResource resource) {
    return new ObjectEncoders(resource, time);
  }
}
