package io.watchgate.http;

import io.watchgate.cache.Revision;
import io.watchgate.http.ServedResource.Subresource;
import io.watchgate.json.ObjectView;
import io.watchgate.select.SelectableFields;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Answers what is asked of a type of resource: get, list, watch; writes go elsewhere. */
final class ResourceHandler {
  private final Catalog catalog;
  private final @Nullable WriteHandler writes;
  private final HttpSettings settings;

  ResourceHandler(Catalog catalog, @Nullable WriteHandler writes, HttpSettings settings) {
    this.catalog = catalog;
    this.writes = writes;
    this.settings = settings;
  }

  void answer(Resources resources, ApiPath path, Exchange exchange)
      throws StatusException, IOException, InterruptedException {
    ServedResource resource = resources.find(path);
    if (resource == null) {
      if (resources.builtIn(path.group())) {
        throw Refusals.noSuchResource();
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
      throw Refusals.notAllowed();
    } else {
      writes.answer(resource, path, exchange);
    }
  }

  private static void checkSubresource(ServedResource resource, ApiPath path, Exchange exchange)
      throws StatusException {
    Subresource subresource =
        Resources.subresource(resource, path.subresource()).orElseThrow(Refusals::noSuchResource);
    boolean get = exchange.request().getMethod().equals("GET");
    if (get && !subresource.verbs().contains("get")) {
      throw Refusals.notAllowed();
    }
  }

  private void read(ServedResource resource, ApiPath path, Exchange exchange)
      throws StatusException, IOException, InterruptedException {
    Representation wanted = Representation.of(exchange.accept());
    boolean collection = path.name().isEmpty() || path.form() == ApiPath.Form.LEGACY_WATCH;
    Catalog.Source source = catalog.open(resource.definition()).orElse(null);
    if (source == null) {
      exchange.pageNotFound();
      return;
    }
    try (source) {
      if (collection) {
        list(resource, path, wanted, source, exchange);
      } else {
        get(resource, path, wanted, source, exchange);
      }
    }
  }

  private void get(
      ServedResource resource,
      ApiPath path,
      Representation wanted,
      Catalog.Source source,
      Exchange exchange)
      throws StatusException, InterruptedException {
    ObjectForm form = ObjectForm.ofObject(resource.definition(), wanted);
    RequestedVersion version =
        RequestedVersion.ofGetOrWatch(exchange.query().text("resourceVersion"));
    Revision head = new PositionWait(source, settings.positionWait()).head(version);
    ObjectView object = head.state().get(key(path));
    if (object == null) {
      throw Refusals.noSuchObject(Resources.type(resource), path.name());
    }
    ByteBuilder out = new ByteBuilder(object.bytes().length + 1);
    form.object(object.bytes(), out);
    exchange.json(200, out.append('\n').toArray());
  }

  private static byte[] key(ApiPath path) {
    String key = path.namespace().isEmpty() ? path.name() : path.namespace() + "/" + path.name();
    return key.getBytes(StandardCharsets.UTF_8);
  }

  private void list(
      ServedResource resource,
      ApiPath path,
      Representation wanted,
      Catalog.Source source,
      Exchange exchange)
      throws StatusException, IOException, InterruptedException {
    ListOptions options = ListOptions.of(exchange.query(), path.form());
    ObjectFilter filter =
        ObjectFilter.of(SelectableFields.of(resource.definition()), path, options);
    ObjectForm form = ObjectForm.ofList(resource.definition(), wanted);
    new ObjectLister(source, filter, options, settings.positionWait()).list(form, exchange);
    exchange.callback().succeeded();
  }
}
