package io.watchgate.kube;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.UpstreamFailure;
import io.watchgate.json.JsonException;
import io.watchgate.json.ListReader;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.function.LongSupplier;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;

/**
 * Cache of the CustomResourceDefinitions behind types, which are read one by one or all together. A
 * type without a definition is built in, or of an aggregated apiserver. Thread-safe; at most
 * {@value KubeSettings.Definitions#MAX_REQUESTS} are read at a time.
 *
 * <p>A definition that the gateway may not read is an error. Without its uid, a type that was
 * deleted and created again would be taken for the old one. Without its selectable fields,
 * selectors would be rejected that the apiserver accepts.
 */
final class CrdCache {
  private static final String PATH = "apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  private static final String READING = "reading the CustomResourceDefinition ";
  private static final String LISTING = "listing CustomResourceDefinitions";

  /**
   * The groups with a dot that kube-apiserver itself serves. None of their types is custom, so no
   * definition is requested, and no right to read it is needed. (A group without a dot cannot be
   * custom.)
   */
  private static final Set<String> BUILT_IN =
      Set.of(
          "admissionregistration.k8s.io",
          "apiextensions.k8s.io",
          "apiregistration.k8s.io",
          "authentication.k8s.io",
          "authorization.k8s.io",
          "certificates.k8s.io",
          "coordination.k8s.io",
          "discovery.k8s.io",
          "events.k8s.io",
          "flowcontrol.apiserver.k8s.io",
          "internal.apiserver.k8s.io",
          "networking.k8s.io",
          "node.k8s.io",
          "rbac.authorization.k8s.io",
          "resource.k8s.io",
          "scheduling.k8s.io",
          "storage.k8s.io",
          "storagemigration.k8s.io");

  private final ApiserverAccess server;
  private final UpstreamHttpClient client;
  private final LongSupplier nanoTime;
  private final Executor threads;
  private final Map<String, RefreshedValue<Reading>> each = new ConcurrentHashMap<>();
  private final RefreshedValue<Reading> all;

  /** Answer of the apiserver about a definition, or about all of them. */
  sealed interface Reading {}

  record Defined(CrdInfo definition) implements Reading {}

  /** The type has no definition. */
  record None() implements Reading {}

  /**
   * The type had a definition, and has none now.
   *
   * @param since time of the first question that found none
   */
  record Removed(long since) implements Reading {}

  /** The gateway may not read the definition. */
  record Refused(KubeException reason) implements Reading {}

  /** All definitions were read; by name. */
  record AllRead(Map<String, CrdInfo> found) implements Reading {}

  CrdCache(
      ApiserverAccess server, UpstreamHttpClient client, LongSupplier nanoTime, Executor threads) {
    this.server = server;
    this.client = client;
    this.nanoTime = nanoTime;
    Semaphore permits = new Semaphore(KubeSettings.Definitions.MAX_REQUESTS);
    this.threads =
        task ->
            threads.execute(
                () -> {
                  permits.acquireUninterruptibly();
                  try {
                    task.run();
                  } finally {
                    permits.release();
                  }
                });
    this.all =
        new RefreshedValue<>(
            LISTING, (before, askedAt) -> readAll(askedAt), nanoTime, this.threads);
  }

  /** Returns true if there may be a definition behind the type. */
  static boolean mayBeCustom(ApiResource type) {
    return type.group().contains(".") && !BUILT_IN.contains(type.group());
  }

  /** Returns the definition behind a type for which there may be one. */
  RefreshedValue<Reading> of(ApiResource type) {
    return each.computeIfAbsent(
        type.groupResource(),
        name ->
            new RefreshedValue<>(
                READING + name,
                (before, askedAt) -> read(name, before, askedAt),
                nanoTime,
                threads));
  }

  /** Drops the definitions of all other types. */
  void retainAll(Set<String> groupResources) {
    each.keySet().retainAll(groupResources);
  }

  /**
   * Reads all definitions in the background if they were last read before that time, so that many
   * types cost few requests.
   *
   * @return whether that works; otherwise they have to be read one by one
   */
  boolean refreshAll(long notBefore) {
    RefreshedValue.Known<Reading> read = all.getAndRefresh(notBefore);
    KubeException failure = read.failure();
    return !(read.value() instanceof Refused)
        && (failure == null || !(failure.failure() instanceof UpstreamFailure.Malformed));
  }

  /**
   * Waits until all definitions were read at that time or later, or reading them was denied.
   * Afterwards each of those types has its definition, or is known to have none.
   */
  void awaitAll(List<ApiResource> types, long notBefore, Duration wait)
      throws InterruptedException {
    RefreshedValue.Known<Reading> read = all.awaitSince(notBefore, wait);
    if (read.isSince(notBefore) && read.value() instanceof AllRead(var found)) {
      for (ApiResource type : types) {
        RefreshedValue<Reading> one = of(type);
        if (!one.peek().isSince(notBefore)) {
          // It may be in the list, which was read before this type was known.
          put(found.get(type.groupResource()), one, read.askedAt());
        }
      }
    }
  }

  private static void put(@Nullable CrdInfo found, RefreshedValue<Reading> one, long askedAt) {
    one.put(found == null ? missing(one.peek().value(), askedAt) : new Defined(found), askedAt);
  }

  private static Reading missing(@Nullable Reading before, long askedAt) {
    return switch (before) {
      case Defined _ -> new Removed(askedAt);
      case Removed removed -> removed;
      case null, default -> new None();
    };
  }

  private Reading read(String name, @Nullable Reading before, long askedAt) throws KubeException {
    HttpUrl url = server.url(PATH).addPathSegment(name).build();
    try {
      return new Defined(CrdInfo.of(client.document(url, READING + name, ApiRequest.JSON)));
    } catch (KubeException e) {
      return switch (e.failure()) {
        case UpstreamFailure.TypeGone _ -> missing(before, askedAt);
        case UpstreamFailure.Forbidden forbidden ->
            new Refused(
                new KubeException(
                    new UpstreamFailure.Forbidden(
                        forbidden.message()
                            + "; grant the gateway get and list on customresourcedefinitions of"
                            + " apiextensions.k8s.io")));
        default -> throw e;
      };
    }
  }

  /**
   * Reads all definitions and caches the valid ones.
   *
   * @throws KubeException also if one is invalid; that one is read by itself when it is needed
   */
  private Reading readAll(long askedAt) throws KubeException {
    Duration timeout = server.settings().timeouts().request();
    Page all = new Page();
    String token = "";
    try {
      do {
        HttpUrl.Builder url =
            server
                .url(PATH)
                .addQueryParameter("limit", Integer.toString(KubeSettings.Definitions.PAGE));
        if (!token.isEmpty()) {
          url.addQueryParameter("continue", token);
        }
        token =
            client
                .get(
                    new ApiRequest(
                        url.build(),
                        LISTING,
                        ApiRequest.JSON,
                        ApiRequest.Encoding.ANY,
                        timeout,
                        timeout),
                    (body, call) -> page(body, all))
                .continueToken();
      } while (!token.isEmpty());
    } catch (KubeException e) {
      if (e.failure() instanceof UpstreamFailure.Forbidden) {
        return new Refused(e);
      }
      throw e;
    }
    Optional<String> problem = all.problem;
    each.forEach(
        (name, one) -> {
          CrdInfo definition = all.found.get(name);
          if (definition != null || problem.isEmpty()) {
            put(definition, one, askedAt);
          }
        });
    if (problem.isPresent()) {
      throw new KubeException(
          new UpstreamFailure.Malformed(
              "a CustomResourceDefinition in a list could not be read: " + problem.get()));
    }
    return new AllRead(Map.copyOf(all.found));
  }

  private ListReader.ListMetadata page(InputStream body, Page all)
      throws IOException, JsonException {
    return new ListReader(
            body,
            "apiextensions.k8s.io/v1",
            "CustomResourceDefinition",
            server.settings().sizes().maxObjectBytes())
        .read(all);
  }

  /** Definitions of a list. An invalid one does not hide the others. */
  private static final class Page implements ListReader.Items {
    private final Map<String, CrdInfo> found = new HashMap<>();

    /** Problem of the last invalid item. */
    private Optional<String> problem = Optional.empty();

    @Override
    public void item(byte[] object) {
      try {
        CrdInfo definition = CrdInfo.of(JsonDocument.parse(object, 0, object.length));
        found.put(definition.name(), definition);
      } catch (JsonException e) {
        unreadable(object, String.valueOf(e.getMessage()));
      }
    }

    @Override
    public void unreadable(byte[] beginning, String detail) {
      problem = Optional.of(detail);
    }
  }
}
