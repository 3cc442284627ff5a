package io.watchgate.auth;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.Cluster;
import io.watchgate.cache.TimeSource;
import io.watchgate.cache.TypeRegistry;
import io.watchgate.error.AccessErrors;
import io.watchgate.error.ApiException;
import io.watchgate.select.CompiledSelection;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Facade of authentication, authorization and quotas; see the package. Thread-safe; methods that
 * throw checked exceptions may block.
 */
public final class AccessController implements AutoCloseable {
  private final AuthSettings settings;
  private final Authenticator authenticator;
  private final Authorizer authorizer;
  private final GrantRechecker grants;
  private final UserQuotas userQuotas;
  private final ReviewErrors unanswered;
  private final ExecutorService threads =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("auth-", 0).factory());
  private final UnwatchedRoles roleVisibility;
  private volatile @Nullable RoleWatch roles;

  /**
   * Clients of the apiserver that answer reviews.
   *
   * @param certificates tests whether a client's certificate is valid under the authorities that
   *     are configured now
   */
  public record Reviewers(
      TokenReviewer tokens,
      AccessReviewer access,
      Predicate<Credentials.Certificate> certificates) {
    /** Creates reviewers that accept every certificate with which a client was authenticated. */
    public Reviewers(TokenReviewer tokens, AccessReviewer access) {
      this(tokens, access, certificate -> true);
    }

    /** Returns reviewers of which one object answers both kinds of review. */
    public static <R extends TokenReviewer & AccessReviewer> Reviewers of(
        R reviewer, Predicate<Credentials.Certificate> certificates) {
      return new Reviewers(reviewer, reviewer, certificates);
    }
  }

  /**
   * Returns the access controller of a gateway.
   *
   * @param reviewers reviewers for new calls; used only where the settings require a review
   * @param recheckers reviewers for open streams
   * @throws IOException if a token file cannot be used; the message names the file
   */
  public static AccessController of(
      AuthSettings settings,
      Reviewers reviewers,
      Reviewers recheckers,
      TimeSource time,
      AuthMetrics metrics)
      throws IOException {
    return new AccessController(settings, tokens(settings), reviewers, recheckers, time, metrics);
  }

  /**
   * Reads the token file that the settings name, if any, to check it.
   *
   * @throws IOException if it cannot be used; the message names the file
   */
  public static void checkTokenFile(AuthSettings settings) throws IOException {
    var _ = tokens(settings);
  }

  private static StaticTokens tokens(AuthSettings settings) throws IOException {
    Optional<Path> file = settings.identification().tokens();
    return file.isPresent() ? StaticTokens.read(file.get()) : StaticTokens.empty();
  }

  /** Returns an access controller that accepts every call and allows every access. */
  public static AccessController allowAll(TimeSource time) {
    Reviewers none =
        new Reviewers((token, audiences) -> Optional.empty(), (identity, access) -> false);
    return new AccessController(
        AuthSettings.NONE, StaticTokens.empty(), none, none, time, AuthMetrics.NONE);
  }

  private AccessController(
      AuthSettings settings,
      StaticTokens tokens,
      Reviewers reviewers,
      Reviewers recheckers,
      TimeSource time,
      AuthMetrics metrics) {
    this.settings = settings;
    var identification = settings.identification();
    this.authenticator =
        new Authenticator(
            identification,
            tokens,
            audiences ->
                new TokenReviewCache(
                    reviewers.tokens(), recheckers.tokens(), audiences, time, threads, metrics),
            reviewers.certificates(),
            time);
    this.authorizer =
        new Authorizer(
            settings.authorization(),
            reviewers.access(),
            recheckers.access(),
            time,
            threads,
            metrics);
    this.grants =
        new GrantRechecker(
            authenticator,
            authorizer,
            settings.rechecks(),
            time,
            threads,
            () -> ThreadLocalRandom.current().nextDouble(),
            metrics);
    this.roleVisibility =
        new UnwatchedRoles(settings.rechecks().interval(), RoleCheckSettings.UNWATCHED_LOG_DELAY);
    this.userQuotas = new UserQuotas(settings.quotas(), time);
    this.unanswered = new ReviewErrors(time);
  }

  /**
   * Starts the re-checks of open streams.
   *
   * @param registry where roles and bindings are read
   */
  public void start(ScheduledExecutorService timer, Cluster cluster, TypeRegistry registry) {
    if (settings.identification().isEnabled()) {
      grants.start(timer);
    }
    if (settings.authorization() == AuthSettings.Authorization.KUBERNETES) {
      RoleWatch watch =
          new RoleWatch(
              cluster,
              registry,
              grants::onRolesChanged,
              RoleCheckSettings.RETRY_DELAY,
              roleVisibility);
      watch.start();
      roles = watch;
    }
  }

  /**
   * Returns the authenticated caller of a call.
   *
   * @param address address of the client; failures are counted by address
   * @throws ApiException CREDENTIALS_INVALID, CREDENTIALS_EXPIRED, UPSTREAM_UNAVAILABLE, QUOTA
   */
  public Caller authenticate(Credentials credentials, Object address)
      throws ApiException, InterruptedException {
    Caller caller = authenticator.authenticate(credentials, address);
    if (settings.identification().isEnabled()) {
      userQuotas.countCall(caller.user());
    }
    return caller;
  }

  /**
   * Admits a stream, or throws.
   *
   * @param projection only compared: it distinguishes the streams of one selection
   * @param listener notified if the stream's grant ends
   * @throws ApiException ACCESS_DENIED, UPSTREAM_UNAVAILABLE, QUOTA
   */
  public Admitted admit(
      Caller caller, CompiledSelection selection, Object projection, GrantListener listener)
      throws ApiException, InterruptedException {
    if (!settings.identification().isEnabled()) {
      return new Admitted(null, null);
    }
    UserQuotas.StreamSlot slot = userQuotas.takeStreamSlot(caller.user(), selection, projection);
    GrantRechecker.GrantHandle handle = grants.register(caller, selection, listener);
    Admitted admitted = new Admitted(slot, handle);
    boolean allowed = false;
    try {
      require(
          caller,
          AccessAttributes.of(
              selection, List.of(AccessAttributes.Verb.LIST, AccessAttributes.Verb.WATCH)));
      allowed = true;
      handle.onAllowed();
      return admitted;
    } finally {
      if (!allowed) {
        admitted.close();
      }
    }
  }

  /**
   * Requires that the caller may list a selection.
   *
   * @throws ApiException ACCESS_DENIED, UPSTREAM_UNAVAILABLE
   */
  public void requireList(Caller caller, CompiledSelection selection)
      throws ApiException, InterruptedException {
    require(caller, AccessAttributes.of(selection, List.of(AccessAttributes.Verb.LIST)));
  }

  /**
   * Requires that the caller may get one object.
   *
   * @param namespace empty for a cluster-scoped type
   * @throws ApiException ACCESS_DENIED, UPSTREAM_UNAVAILABLE
   */
  public void requireGet(Caller caller, ApiResource type, String namespace, String name)
      throws ApiException, InterruptedException {
    require(caller, List.of(AccessAttributes.getOf(type, namespace, name)));
  }

  /**
   * Returns the types of which the caller may list all objects. After the first review that the
   * apiserver does not answer, only cached answers are used; types without a cached answer are left
   * out.
   *
   * @throws ApiException QUOTA
   */
  public Set<ApiResource> listable(Caller caller, Collection<ApiResource> types)
      throws ApiException, InterruptedException {
    Set<ApiResource> listable = new HashSet<>();
    boolean answers = true;
    for (ApiResource type : types) {
      List<AccessAttributes> list = List.of(AccessAttributes.listOf(type));
      Optional<Authorizer.Verdict> verdict = authorizer.cachedVerdict(caller.identity(), list);
      if (verdict.isEmpty() && answers) {
        try (UserQuotas.ReviewSlot _ = userQuotas.takeReviewSlot(caller.user(), 1)) {
          verdict = Optional.of(new Authorizer.Verdict(authorizer.denied(caller.identity(), list)));
        } catch (ReviewUnavailableException e) {
          answers = false;
        }
      }
      if (verdict.isPresent() && verdict.get().denied().isEmpty()) {
        listable.add(type);
      }
    }
    return listable;
  }

  /**
   * Requires that the caller may read a page of the gateway itself.
   *
   * @throws ApiException ACCESS_DENIED, UPSTREAM_UNAVAILABLE
   */
  public void requirePage(Caller caller, String path) throws ApiException, InterruptedException {
    require(caller, List.of(new AccessAttributes.NonResourceAccess(path)));
  }

  /**
   * Returns the first denied access. Callers whose answers are all cached do not wait, and take no
   * review slot.
   */
  private Optional<AccessAttributes> denied(Caller caller, List<AccessAttributes> accesses)
      throws ApiException, InterruptedException {
    Optional<Authorizer.Verdict> known = authorizer.cachedVerdict(caller.identity(), accesses);
    if (known.isPresent()) {
      return known.get().denied();
    }
    try (UserQuotas.ReviewSlot _ = userQuotas.takeReviewSlot(caller.user(), accesses.size())) {
      return authorizer.denied(caller.identity(), accesses);
    } catch (ReviewUnavailableException e) {
      throw unanswered.refusal(AccessErrors.whatMayRead(caller.user()), e);
    }
  }

  private void require(Caller caller, List<AccessAttributes> accesses)
      throws ApiException, InterruptedException {
    Optional<AccessAttributes> denied = denied(caller, accesses);
    if (denied.isPresent()) {
      throw new ApiException(
          AccessErrors.denied(
              caller.user(), denied.get().text(), AccessAttributes.verbs(accesses)));
    }
  }

  /** Resources of an admitted stream, kept until the stream is closed. */
  public static final class Admitted implements AutoCloseable {
    private final UserQuotas.@Nullable StreamSlot slot;
    private final GrantRechecker.@Nullable GrantHandle handle;

    private Admitted(
        UserQuotas.@Nullable StreamSlot slot, GrantRechecker.@Nullable GrantHandle handle) {
      this.slot = slot;
      this.handle = handle;
    }

    /** Releases the resources; a second call does nothing. */
    @Override
    public void close() {
      if (handle != null) {
        handle.close();
      }
      if (slot != null) {
        slot.close();
      }
    }
  }

  public AuthSettings settings() {
    return settings;
  }

  /** Returns the number of cached answers of the apiserver about tokens and about access. */
  public long cachedAnswers() {
    return authenticator.cachedTokens() + authorizer.cachedAnswers();
  }

  /** Returns the number of grants, that is of (caller, selection) with open streams. */
  public int grantCount() {
    return grants.grantCount();
  }

  /** Passes the state of each grant to a consumer. */
  public void forEachGrant(Consumer<GrantState> states) {
    grants.forEachState(states);
  }

  /** Returns the number of types of roles and bindings that cannot be watched now. */
  public int unwatchedRoleTypes() {
    return roleVisibility.unwatchedTypes();
  }

  /** Returns the number of streams of the user with the most streams. */
  public int maxStreamsOfOneUser() {
    return userQuotas.maxStreamsOfOneUser();
  }

  /** Returns the number of selections of the user with the most selections. */
  public int maxSelectionsOfOneUser() {
    return userQuotas.maxSelectionsOfOneUser();
  }

  @Override
  public void close() {
    RoleWatch watch = roles;
    if (watch != null) {
      watch.close();
    }
    threads.shutdownNow();
  }
}
