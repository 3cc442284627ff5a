package io.watchgate.auth;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.CacheMetrics;
import io.watchgate.cache.CacheWriter;
import io.watchgate.cache.Cluster;
import io.watchgate.cache.TimeSource;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.cache.TypeReference;
import io.watchgate.cache.TypeRegistry;
import io.watchgate.cache.Upstream;
import io.watchgate.cache.UpstreamFailure;
import io.watchgate.json.FieldPaths;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests of the gateway's own watch of roles and bindings. */
@Tag("slow")
final class RoleWatchTest {
  private static final UserInfo ANN = UserInfo.authenticated("ann", "", List.of());
  private static final UserInfo BOB = UserInfo.authenticated("bob", "", List.of());

  private final Map<String, Role> roles = new ConcurrentHashMap<>();
  private final BlockingQueue<AffectedSubjects> concerned = new LinkedBlockingQueue<>();
  private final UnwatchedRoles sight =
      new UnwatchedRoles(Duration.ofMinutes(5), Duration.ofMillis(500));
  private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(1);
  private final Cluster cluster = new Roles();
  private final TypeRegistry registry =
      new TypeRegistry(
          cluster,
          CacheWriter.settings(),
          TimeSource.SYSTEM,
          timer,
          Thread.ofPlatform().daemon().factory(),
          definition -> FieldPaths.NONE,
          type -> CacheMetrics.NONE);
  private final RoleWatch watch =
      new RoleWatch(cluster, registry, concerned::add, Duration.ofMillis(10), sight);

  RoleWatchTest() {
    for (String type : List.of("roles", "rolebindings", "clusterroles", "clusterrolebindings")) {
      roles.put(type, new Role());
    }
  }

  @AfterEach
  void close() {
    watch.close();
    registry.close();
    timer.shutdownNow();
  }

  private Role role(String type) {
    return Objects.requireNonNull(roles.get(type));
  }

  private Role bindings() {
    return role("rolebindings");
  }

  private AffectedSubjects next() throws InterruptedException {
    AffectedSubjects next = concerned.poll(3, TimeUnit.MINUTES);
    assertThat(next).isNotNull();
    return next;
  }

  /** Starts the watch; the first list of each of the four types affects all subjects. */
  private void started() throws InterruptedException {
    watch.start();
    for (int i = 0; i < 4; i++) {
      assertThat(next()).isEqualTo(AffectedSubjects.ALL);
    }
    await().until(() -> sight.unwatchedTypes() == 0);
  }

  private static String binding(String name, String version, String user) {
    return """
    {"metadata":{"namespace":"n","name":"%s","uid":"u","resourceVersion":"%s"},\
    "roleRef":{"kind":"Role","name":"r"},"subjects":[{"kind":"User","name":"%s"}]}\
    """
        .formatted(name, version, user);
  }

  @Test
  void bindingWithEscapedName_affectsItsSubjects() throws InterruptedException {
    bindings().items = List.of(binding("a\\u003cb", "5", "ann"), binding("\\\"", "6", "bob"));
    started();

    bindings().send(Upstream.EventType.DELETED, binding("a\\u003cb", "11", "\\u0061nn"));

    AffectedSubjects of = next();
    assertThat(of.contains(ANN)).isTrue();
    assertThat(of.contains(BOB)).isFalse();
  }

  @Test
  void roleWithEscapedName_affectsBoundSubjects() throws InterruptedException {
    bindings().items =
        List.of(
            binding("a", "5", "ann").replace("\"r\"", "\"r\\u0026d\""), binding("b", "6", "bob"));
    started();

    role("roles")
        .send(
            Upstream.EventType.ADDED,
            "{\"metadata\":{\"namespace\":\"n\",\"name\":\"r&d\",\"resourceVersion\":\"11\"}}");

    AffectedSubjects of = next();
    assertThat(of.contains(ANN)).isTrue();
    assertThat(of.contains(BOB)).isFalse();
  }

  @Test
  void unreadableBinding_affectsAllSubjects() throws InterruptedException {
    started();

    bindings().send(Upstream.EventType.ADDED, binding("x", "11", "ann").replace("]", "}"));
    assertThat(next()).isEqualTo(AffectedSubjects.ALL);
    bindings().send(Upstream.EventType.ADDED, binding("y", "12", "bob"));

    assertThat(next().contains(ANN)).isFalse();
    assertThat(sight.unwatchedTypes()).isZero();
  }

  @Test
  void unreadableType_isLoggedOnceAndSoIsRecovery() throws InterruptedException {
    bindings().failure =
        Optional.of(new UpstreamFailure.Forbidden("403 Forbidden: rolebindings is forbidden"));
    watch.start();
    await().until(() -> sight.unwatchedTypes() == 1 && sight.warning().isPresent());
    assertThat(sight.warning().get())
        .contains("rolebindings", "403 Forbidden", "up to 300 s later", "--recheck-every");

    bindings().failure = Optional.empty();

    // The longest wait between two attempts is 30 s (BackoffSettings).
    await().atMost(Duration.ofMinutes(3)).until(() -> sight.unwatchedTypes() == 0);
    assertThat(sight.warning()).isEmpty();
  }

  @Test
  void unservedOrUnorderedType_isUnwatched() {
    roles.remove("clusterroles");
    role("roles").version = "";
    watch.start();
    await().until(() -> sight.unwatchedTypes() == 2 && sight.warning().isPresent());
  }

  @Test
  void shortGap_isNotLogged() {
    UnwatchedRoles patient = new UnwatchedRoles(Duration.ofMinutes(5), Duration.ofSeconds(10));
    long second = Duration.ofSeconds(1).toNanos();
    patient.markUnwatched("roles", "away", 0);
    patient.markUnwatched("roles", "away", 9 * second);
    assertThat(patient.unwatchedTypes()).isEqualTo(1);
    assertThat(patient.warning()).isEmpty();
    patient.markWatched("roles");
    patient.markUnwatched("roles", "away", 12 * second);
    patient.markUnwatched("roles", "away", 22 * second);
    assertThat(patient.warning()).isPresent();
  }

  /** Objects of a type, and their scripted changes. */
  private static final class Role {
    volatile List<String> items = List.of();
    volatile String version = "10";
    volatile Optional<UpstreamFailure> failure = Optional.empty();
    final BlockingQueue<Consumer<Upstream.WatchSink>> events = new LinkedBlockingQueue<>();

    void send(Upstream.EventType type, String object) {
      byte[] bytes = object.getBytes(UTF_8);
      events.add(sink -> sink.event(type, bytes, 0, bytes.length));
    }
  }

  /** Cluster that serves roles. */
  private final class Roles implements Cluster {
    @Override
    public Resolution resolve(TypeReference name) {
      ApiResource type =
          new ApiResource(
              name.group(), "v1", name.resource(), "Role", ApiResource.Scope.NAMESPACED);
      return roles.containsKey(name.resource())
          ? new Found(
              new TypeDefinition(type, "role", List.of(), List.of("list", "watch"), "", List.of()))
          : new Unknown(List.of());
    }

    @Override
    public Resolution refresh(TypeReference name) {
      return resolve(name);
    }

    @Override
    public Listing types() {
      return new Listing(List.of(), Map.of(), Optional.empty());
    }

    @Override
    public Upstream open(TypeDefinition definition) {
      return new RoleUpstream(role(definition.type().resource()));
    }
  }

  /** Upstream of one of the types. */
  private static final class RoleUpstream implements Upstream {
    private final Role role;
    private volatile boolean closed;

    RoleUpstream(Role role) {
      this.role = role;
    }

    @Override
    public ListOutcome list(ItemSink sink) {
      if (role.failure.isPresent()) {
        return new ListFailed(role.failure.get());
      }
      role.items.forEach(item -> sink.item(item.getBytes(UTF_8)));
      return new Listed(role.version);
    }

    @Override
    public ListOutcome listAt(String resourceVersion, Content content, ItemSink sink) {
      return list(sink);
    }

    @Override
    public WatchOutcome watchList(Duration markerTimeout, WatchSink sink) {
      return new WatchOutcome(new UpstreamFailure.Unsupported("scripted"));
    }

    @Override
    public WatchOutcome watch(String resourceVersion, WatchSink sink) {
      if (sink.opened() instanceof Upstream.Stop stop) {
        return WatchOutcome.stopped(stop);
      }
      try {
        while (!closed) {
          Consumer<WatchSink> event = role.events.poll(10, TimeUnit.MILLISECONDS);
          if (event != null) {
            event.accept(sink);
          }
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return new WatchOutcome(null);
    }

    @Override
    public WatchOutcome watchBriefly(String version, Duration duration, WatchSink sink) {
      return new WatchOutcome(null);
    }

    @Override
    public void interrupt() {}

    @Override
    public ListOutcome probe() {
      return new Listed(role.version);
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}
