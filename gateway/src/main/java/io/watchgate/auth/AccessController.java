package io.watchgate.auth;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.Cluster;
import io.watchgate.cache.TimeSource;
import io.watchgate.cache.TypeRegistry;
import io.watchgate.fanout.ApiError;
import io.watchgate.fanout.ApiException;
import io.watchgate.fanout.ObjectProjection;
import io.watchgate.fanout.RouterRegistry;
import io.watchgate.fanout.UserResources;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.select.CompiledSelection;
import java.io.IOException;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Decides who may do what; see the package. Thread-safe; what throws may block. */
public final class AccessController implements AutoCloseable {
  private static final Duration RETRY = Duration.ofSeconds(2);

  /** How long roles may be out of sight before the log says so. */
  private static final Duration UNSEEN_PATIENCE = Duration.ofSeconds(10);

  private final AuthSettings settings;
  private final Authenticator authenticator;
  private final Authorizer authorizer;
  private final GrantRechecker grants;
  private final UserQuotas allowances;
  private final UserResources shared;
  private final ReviewUnavailable unanswered;
  private final ExecutorService threads =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("auth-", 0).factory());
  private final RoleVisibility roleSight;
  private volatile @Nullable RoleWatch roles;

  /**
   * What asks the apiserver.
   *
   * @param certificates whether a client's certificate, with what leads to its authority, is good
   *     by what is known now
   */
  public record Reviewers(
      TokenReviewer tokens, AccessReviewer access, Predicate<List<X509Certificate>> certificates) {
    /** Every certificate is good with which somebody was let in. */
    public Reviewers(TokenReviewer tokens, AccessReviewer access) {
      this(tokens, access, chain -> true);
    }

    /** What takes both. */
    public static <R extends TokenReviewer & AccessReviewer> Reviewers of(
        R reviewer, Predicate<List<X509Certificate>> certificates) {
      return new Reviewers(reviewer, reviewer, certificates);
    }
  }

  /**
   * One for a gateway.
   *
   * @param reviewers asked about those who come, and only where the settings say so
   * @param recheckers the same about those who are there
   * @throws IOException if a file of tokens cannot be used; names it
   */
  public static AccessController of(
      AuthSettings settings,
      Reviewers reviewers,
      Reviewers recheckers,
      RouterRegistry routers,
      TimeSource time,
      AuthMetrics metrics)
      throws IOException {
    Optional<Path> tokens = settings.identification().tokens();
    return new AccessController(
        settings,
        tokens.isPresent() ? StaticTokens.read(tokens.get()) : StaticTokens.none(),
        reviewers,
        recheckers,
        routers,
        time,
        metrics);
  }

  /** Lets everybody in, to everything. */
  public static AccessController open(RouterRegistry routers, TimeSource time) {
    Reviewers nobody =
        new Reviewers((token, audiences) -> Optional.empty(), (identity, access) -> false);
    return new AccessController(
        AuthSettings.NONE, StaticTokens.none(), nobody, nobody, routers, time, AuthMetrics.NONE);
  }

  private AccessController(
      AuthSettings settings,
      StaticTokens tokens,
      Reviewers reviewers,
      Reviewers recheckers,
      RouterRegistry routers,
      TimeSource time,
      AuthMetrics metrics) {
    this.settings = settings;
    var identification = settings.identification();
    this.authenticator =
        new Authenticator(
            identification,
            tokens,
            identification.audiences().isEmpty()
                ? null
                : new TokenReviewAuthenticator(
                    reviewers.tokens(),
                    recheckers.tokens(),
                    identification.audiences(),
                    time,
                    threads,
                    metrics),
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
    this.roleSight = new RoleVisibility(settings.rechecks().every(), UNSEEN_PATIENCE);
    this.allowances = new UserQuotas(settings.quotas(), time, routers::account);
    this.shared = routers.shared();
    this.unanswered = new ReviewUnavailable(time);
  }

  /**
   * Looks at open streams from now on.
   *
   * @param registry where roles and bindings are read
   */
  public void start(ScheduledExecutorService timer, Cluster cluster, TypeRegistry registry) {
    if (settings.identification().isAsked()) {
      grants.start(timer);
    }
    if (settings.authorization() == AuthSettings.Authorization.KUBERNETES) {
      RoleWatch watch = new RoleWatch(cluster, registry, grants::accessChanged, RETRY, roleSight);
      watch.start();
      roles = watch;
    }
  }

  /**
   * Who calls.
   *
   * @param address where he is; failures are counted by it
   * @throws ApiException CREDENTIALS_INVALID, CREDENTIALS_EXPIRED, UPSTREAM_UNAVAILABLE, QUOTA
   */
  public Caller identify(Credentials credentials, Object address)
      throws ApiException, InterruptedException {
    Caller caller = authenticator.identify(credentials, address);
    if (settings.identification().isAsked()) {
      allowances.call(caller.user());
    }
    return caller;
  }

  /**
   * Lets a stream in, or not.
   *
   * @param holder hears of it if its right ends
   * @throws ApiException ACCESS_DENIED, UPSTREAM_UNAVAILABLE, QUOTA
   */
  public Admitted admit(
      Caller caller, CompiledSelection selection, ObjectProjection projection, GrantListener holder)
      throws ApiException, InterruptedException {
    if (!settings.identification().isAsked()) {
      return new Admitted(null, null, shared);
    }
    UserQuotas.StreamSlot place = allowances.take(caller.user(), selection, projection);
    Admitted admitted =
        new Admitted(place, grants.hold(caller, selection, holder), place.account());
    boolean allowed = false;
    try {
      require(
          caller,
          AccessAttributes.of(
              selection, List.of(AccessAttributes.Verb.LIST, AccessAttributes.Verb.WATCH)));
      allowed = true;
      return admitted;
    } finally {
      if (!allowed) {
        admitted.close();
      }
    }
  }

  /**
   * Whether he may list a selection.
   *
   * @throws ApiException ACCESS_DENIED, UPSTREAM_UNAVAILABLE
   */
  public void requireList(Caller caller, CompiledSelection selection)
      throws ApiException, InterruptedException {
    require(caller, AccessAttributes.of(selection, List.of(AccessAttributes.Verb.LIST)));
  }

  /**
   * Those of the types that the caller may list as a whole. Once the apiserver does not answer, it
   * is not asked about the others: what is not remembered is not among them.
   *
   * @throws ApiException QUOTA
   */
  public Set<ApiResource> listable(Caller caller, Collection<ApiResource> types)
      throws ApiException, InterruptedException {
    Set<ApiResource> listable = new HashSet<>();
    boolean answers = true;
    for (ApiResource type : types) {
      List<AccessAttributes> list = List.of(AccessAttributes.listOf(type));
      Optional<Authorizer.Verdict> verdict = authorizer.remembered(caller.identity(), list);
      if (verdict.isEmpty() && answers) {
        try (UserQuotas.ReviewSlot _ = allowances.asks(caller.user(), 1)) {
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
   * Whether he may read a page of the gateway itself.
   *
   * @throws ApiException ACCESS_DENIED, UPSTREAM_UNAVAILABLE
   */
  public void requirePage(Caller caller, String path) throws ApiException, InterruptedException {
    require(caller, List.of(new AccessAttributes.NonResourceAccess(path)));
  }

  /** Those about whom all is remembered wait for nobody, and are not counted among who asks. */
  private Optional<AccessAttributes> denied(Caller caller, List<AccessAttributes> accesses)
      throws ApiException, InterruptedException {
    Optional<Authorizer.Verdict> known = authorizer.remembered(caller.identity(), accesses);
    if (known.isPresent()) {
      return known.get().denied();
    }
    try (UserQuotas.ReviewSlot _ = allowances.asks(caller.user(), accesses.size())) {
      return authorizer.denied(caller.identity(), accesses);
    } catch (ReviewUnavailableException e) {
      throw unanswered.refusal("what \"" + caller.user() + "\" may read", e);
    }
  }

  private void require(Caller caller, List<AccessAttributes> accesses)
      throws ApiException, InterruptedException {
    Optional<AccessAttributes> denied = denied(caller, accesses);
    if (denied.isPresent()) {
      throw new ApiException(
          ApiError.of(
              ErrorReason.ERROR_REASON_ACCESS_DENIED,
              AccessErrors.text(caller.identity(), denied.get())
                  + ": the apiserver does not allow it. To watch, list and watch are needed."));
    }
  }

  /** What a stream that was let in holds, until it is closed. */
  public static final class Admitted implements AutoCloseable {
    private final UserQuotas.@Nullable StreamSlot place;
    private final GrantRechecker.@Nullable GrantHandle held;
    private final UserResources account;

    private Admitted(
        UserQuotas.@Nullable StreamSlot place,
        GrantRechecker.@Nullable GrantHandle held,
        UserResources account) {
      this.place = place;
      this.held = held;
      this.account = account;
    }

    /** What waits for the stream's reader is accounted for here. */
    public UserResources account() {
      return account;
    }

    /** A second call does nothing. */
    @Override
    public void close() {
      if (held != null) {
        held.close();
      }
      if (place != null) {
        place.close();
      }
    }
  }

  public AuthSettings settings() {
    return settings;
  }

  /** Answers of the apiserver that are believed for a while, about tokens and about rights. */
  public long remembered() {
    return authenticator.remembered() + authorizer.count();
  }

  /** Of (caller, selection) that have streams. */
  public int grants() {
    return grants.count();
  }

  /** How many of the types of roles and bindings cannot be watched now. */
  public int unseenRoleTypes() {
    return roleSight.unseen();
  }

  /** Of the user who has most. */
  public int mostStreamsOfOne() {
    return allowances.mostStreams();
  }

  /** Of the user who has most. */
  public int mostSelectionsOfOne() {
    return allowances.mostSelections();
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
