package io.watchgate.http;

import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.Revision;
import io.watchgate.cache.TypeLease;
import io.watchgate.cache.WatchCache;
import io.watchgate.encode.ObjectProjection;
import io.watchgate.error.ApiError;
import io.watchgate.fanout.UserResources;
import io.watchgate.http.ServedResource.Subresource;
import java.io.IOException;
import java.util.Objects;
import java.util.Optional;
import org.eclipse.jetty.http.HttpHeader;
import org.jspecify.annotations.Nullable;

/** Handler of requests to a resource: get, list and watch. Writes are passed to another handler. */
final class SandboxReadHandler {
  private final ResourceCatalog catalog;
  private final @Nullable SandboxWriteHandler writes;
  private final ResourceReads reads;
  private final UserResources sharedUser;

  /**
   * @param writes null to refuse writes
   * @param sharedUser resources of all callers, which are not distinguished
   */
  SandboxReadHandler(
      ResourceCatalog catalog,
      @Nullable SandboxWriteHandler writes,
      ResourceReads reads,
      UserResources sharedUser) {
    this.catalog = catalog;
    this.writes = writes;
    this.reads = reads;
    this.sharedUser = sharedUser;
  }

  void answer(ResourceIndex resources, ApiPath path, ApiExchange exchange)
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

  private static void checkSubresource(ServedResource resource, ApiPath path, ApiExchange exchange)
      throws StatusException {
    Subresource subresource =
        ResourceIndex.subresource(resource, path.subresource())
            .orElseThrow(StatusErrors::noSuchResource);
    boolean get = exchange.request().getMethod().equals("GET");
    if (get && !subresource.verbs().contains("get")) {
      throw StatusErrors.notAllowed();
    }
  }

  private void read(ServedResource resource, ApiPath path, ApiExchange exchange)
      throws StatusException, IOException, InterruptedException {
    ResponseFormat wanted = ResponseFormat.of(exchange.accept(), exchange.query());
    boolean single = path.isObject();
    Optional<ListOptions> options =
        single ? Optional.empty() : Optional.of(ListOptions.of(exchange.query(), path.form()));
    ResourceReads.Read read = new ResourceReads.Read(resource, path, wanted, ObjectProjection.FULL);
    if (options.isPresent() && options.get().verb() == ListOptions.Verb.WATCH) {
      watch(read, options.get(), exchange);
      return;
    }
    try (TypeLease type = catalog.open(resource.definition()).orElse(null)) {
      if (type == null) {
        exchange.pageNotFound();
      } else if (options.isPresent()) {
        reads.list(
            read, options.get(), type.cache(), exchange, _ -> AnswerAdmission.Ticket.UNLIMITED);
      } else {
        reads.get(read, type.cache(), exchange, _ -> AnswerAdmission.Ticket.UNLIMITED);
      }
    } catch (ReadLimitException e) {
      throw new IllegalStateException(e); // there is no limit
    }
  }

  private void watch(ResourceReads.Read read, ListOptions options, ApiExchange exchange)
      throws StatusException, InterruptedException {
    if ("websocket".equalsIgnoreCase(exchange.header(HttpHeader.UPGRADE))) {
      // WebSockets are not supported. A client that asked for one waits for the end of this
      // response, then watches without. A client that is refused might retry for a long time.
      exchange.emptyStream();
      return;
    }
    Optional<TypeLease> type = catalog.open(read.resource().definition());
    if (type.isEmpty()) {
      exchange.pageNotFound();
      return;
    }
    WatchCache cache = type.get().cache();
    try {
      var _ =
          reads.watch(
              read,
              options,
              sharedUser,
              type.get(),
              exchange,
              reason -> answerRefusal(reason, options, cache, exchange));
    } catch (ReadLimitException e) {
      throw StatusErrors.tooManyWatches();
    }
  }

  /** Answers a watch that cannot begin as an apiserver does: mostly with a frame. */
  private static void answerRefusal(
      ApiError reason, ListOptions options, WatchCache cache, ApiExchange exchange) {
    Revision head = cache.head();
    ResourceVersion asked = ResourceVersion.parse(options.start().resourceVersion());
    if (head == null || asked == null) {
      exchange.refuse(StatusErrors.loading());
      return;
    }
    switch (reason.reason()) {
      case ERROR_REASON_BEHIND ->
          exchange.frame(
              WatchEventFormat.error(StatusErrors.versionTooLarge(asked, head.version())));
      case ERROR_REASON_POSITION_EXPIRED, ERROR_REASON_HISTORY_LOST -> {
        Revision oldest = Objects.requireNonNullElse(cache.oldest(), head);
        exchange.frame(
            WatchEventFormat.error(
                StatusErrors.tooOldVersion(asked.digits(), oldest.version().digits())));
      }
      default -> exchange.refuse(StatusErrors.loading());
    }
  }
}
