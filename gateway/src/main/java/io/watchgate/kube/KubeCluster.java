package io.watchgate.kube;

import io.watchgate.cache.Cluster;
import io.watchgate.cache.ResourceType;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.cache.TypeName;
import io.watchgate.cache.Upstream;
import io.watchgate.cache.UpstreamFailure;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A real apiserver. Thread-safe. Whoever needs discovery asked anew waits for whoever is asking
 * already, so that a thousand subscribers at once cost one question.
 */
public final class KubeCluster implements Cluster, AutoCloseable {
  /**
   * A name that is not found has discovery asked anew, but no more often than in this part of its
   * age: names come from users.
   */
  private static final int MISSES_PER_AGE = 30;

  private final ApiServer server;
  private final ApiConnection connection;
  private final CustomDefinitions customDefinitions;
  private final LongSupplier nanoTime;

  /** Guards what follows, and what is asked for it. */
  private final ReentrantLock lock = new ReentrantLock();

  private @Nullable TypeCatalog catalog;
  private long askedAt;
  private @Nullable KubeException failure;
  private long failedAt;

  private KubeCluster(ApiServer server, LongSupplier nanoTime) {
    this.server = server;
    this.connection = server.connect();
    this.customDefinitions = new CustomDefinitions(server, connection, nanoTime);
    this.nanoTime = nanoTime;
  }

  /**
   * Makes ready to speak to an apiserver; asks it nothing yet.
   *
   * @param nanoTime a clock that only goes forwards, {@link System#nanoTime}
   * @throws ConfigException if TLS cannot be set up with what the access holds
   */
  public static KubeCluster of(ClusterAccess access, KubeSettings settings, LongSupplier nanoTime)
      throws ConfigException {
    return new KubeCluster(new ApiServer(access, settings, nanoTime), nanoTime);
  }

  /**
   * What tells this cluster from all others: the uid of its namespace kube-system.
   *
   * @throws KubeException if it cannot be read; the message names the remedies
   */
  public String uid() throws KubeException {
    int limit = server.settings().sizes().object();
    Document namespace;
    try {
      namespace =
          connection.get(
              new ApiRequest(
                  server.url("api/v1/namespaces/kube-system").build(),
                  "reading the namespace kube-system, whose uid identifies the cluster",
                  ApiRequest.JSON,
                  ApiRequest.Encoding.ANY,
                  server.settings().timeouts().request(),
                  server.settings().timeouts().request()),
              (body, call) -> Document.read(body, limit));
    } catch (KubeException e) {
      if (e.failure() instanceof UpstreamFailure.Forbidden
          || e.failure() instanceof UpstreamFailure.TypeGone) {
        throw new KubeException(
            new UpstreamFailure.Forbidden(
                e.getMessage()
                    + "; grant the gateway get on the namespace kube-system, or configure a name"
                    + " for the cluster (--cluster-name)"));
      }
      throw e;
    }
    String uid = namespace.object("metadata").text("uid");
    if (uid.isEmpty()) {
      throw new KubeException(
          new UpstreamFailure.Malformed(
              "the namespace kube-system has no uid; configure a name for the cluster"
                  + " (--cluster-name)"));
    }
    return uid;
  }

  @Override
  public Resolution resolve(TypeName name) throws InterruptedException {
    long now = nanoTime.getAsLong();
    long age = server.settings().ages().discovery().toNanos();
    lock.lockInterruptibly();
    try {
      KubeException problem = askUnlessSince(now - age, now);
      ServedType found = catalog == null ? null : catalog.find(name);
      if (found == null && problem == null) {
        problem = askUnlessSince(now - age / MISSES_PER_AGE, now);
        found = catalog == null ? null : catalog.find(name);
      }
      // What was known stays true while the apiserver is away; what was not, is not known.
      return found != null ? known(found, now - age, now) : notFound(name, problem);
    } finally {
      lock.unlock();
    }
  }

  private Resolution known(ServedType served, long notBefore, long arrived) {
    Resolution asked = defined(served, notBefore, arrived);
    return asked instanceof Unavailable
        ? customDefinitions
            .lastOf(served.type())
            .<Resolution>map(custom -> found(served, custom))
            .orElse(asked)
        : asked;
  }

  @Override
  public Resolution refresh(TypeName name) throws InterruptedException {
    long now = nanoTime.getAsLong();
    lock.lockInterruptibly();
    try {
      KubeException problem = askUnlessSince(now, now);
      ServedType found = catalog == null || problem != null ? null : catalog.find(name);
      return found != null ? defined(found, now, now) : notFound(name, problem);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public Listing types() throws InterruptedException {
    long now = nanoTime.getAsLong();
    long since = now - server.settings().ages().discovery().toNanos();
    List<TypeDefinition> types = new ArrayList<>();
    Map<ResourceType, UpstreamFailure> unread = new LinkedHashMap<>();
    lock.lockInterruptibly();
    try {
      KubeException problem = askUnlessSince(since, now);
      TypeCatalog known = catalog;
      if (known != null) {
        readAllDefinitions(since);
        for (ServedType served : known.preferred()) {
          switch (known(served, since, now)) {
            case Found found -> types.add(found.definition());
            case Unavailable unavailable -> unread.put(served.type(), unavailable.failure());
            case Unknown unknown -> {}
          }
        }
      }
      return new Listing(
          types, unread, problem == null ? Optional.empty() : Optional.of(problem.failure()));
    } finally {
      lock.unlock();
    }
  }

  private void readAllDefinitions(long since) {
    try {
      customDefinitions.readAllUnlessSince(since);
    } catch (KubeException e) {
      // Then they are read one by one, or, where that fails too, their types are left out.
    }
  }

  /**
   * Asks discovery if what is held was asked for before that moment. Nobody tries again who waited
   * while it failed for another, or for whom what is held is good enough: of many, each would wait
   * for all before it.
   *
   * @param arrived when the caller began to wait
   */
  private @Nullable KubeException askUnlessSince(long notBefore, long arrived) {
    if (catalog != null && askedAt - notBefore >= 0) {
      return null;
    }
    if (failure != null
        && (failedAt - arrived > 0 || (catalog != null && failedAt - notBefore > 0))) {
      return failure;
    }
    long now = nanoTime.getAsLong();
    try {
      TypeCatalog asked = new Discovery(server, connection).ask();
      customDefinitions.keepOnly(asked.groupResources());
      catalog = asked;
      askedAt = now;
      failure = null;
      return null;
    } catch (KubeException e) {
      failure = e;
      failedAt = nanoTime.getAsLong();
      return e;
    }
  }

  private Resolution defined(ServedType served, long notBefore, long arrived) {
    CustomDefinition custom;
    try {
      custom = customDefinitions.of(served.type(), notBefore, askedAt, arrived);
    } catch (KubeException e) {
      return new Unavailable(e.failure());
    }
    return found(served, custom);
  }

  private static Found found(ServedType served, @Nullable CustomDefinition custom) {
    return new Found(
        new TypeDefinition(
            served.type(),
            served.singular(),
            served.shortNames(),
            served.verbs(),
            custom == null ? "" : custom.uid(),
            custom == null
                ? List.of()
                : custom.selectableFields().getOrDefault(served.type().version(), List.of())));
  }

  private Resolution notFound(TypeName name, @Nullable KubeException failure) {
    if (failure != null) {
      return new Unavailable(failure.failure());
    }
    TypeCatalog known = catalog;
    if (known == null || known.mayBeMissing(name)) {
      return new Unavailable(
          new UpstreamFailure.ServerError(
              "the apiserver of the group of " + name + " does not answer discovery",
              server.settings().ages().discovery()));
    }
    return new Unknown(known.near(name));
  }

  @Override
  public Upstream open(TypeDefinition definition) {
    return new KubeUpstream(
        server, server.connect(), definition.type(), RandomGenerator.getDefault());
  }

  /** Ends what is under way, here and in every upstream, and closes all connections. */
  @Override
  public void close() {
    server.close();
  }
}
