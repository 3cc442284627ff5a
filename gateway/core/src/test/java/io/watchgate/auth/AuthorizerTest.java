package io.watchgate.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.watchgate.cache.CacheWriter;
import io.watchgate.cache.TimeSource;
import io.watchgate.cache.VirtualTime;
import io.watchgate.select.CompiledSelection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that the apiserver's answers, and only these, decide what is allowed. */
final class AuthorizerTest {
  private static final UserInfo JANE = Callers.user("jane");

  private final VirtualTime time = new VirtualTime();
  private final ScriptedReviewers apiserver = new ScriptedReviewers();
  private final Authorizer authorizer = of(apiserver, time.source(), Runnable::run);

  private static Authorizer of(AccessReviewer reviewer, TimeSource time, Executor threads) {
    return new Authorizer(
        AuthSettings.Authorization.KUBERNETES, reviewer, reviewer, time, threads, AuthMetrics.NONE);
  }

  private static List<AccessAttributes> access(int namespaces) {
    List<String> names = IntStream.range(0, namespaces).mapToObj(i -> "n" + i).toList();
    CompiledSelection selection = AccessAttributesTest.selection(CacheWriter.TYPE, names, "", "");
    return AccessAttributes.of(
        selection, List.of(AccessAttributes.Verb.LIST, AccessAttributes.Verb.WATCH));
  }

  private static boolean isIn(AccessAttributes access, String namespace) {
    return ((AccessAttributes.ResourceAccess) access).namespace().equals(namespace);
  }

  private static boolean is(AccessAttributes access, AccessAttributes.Verb verb) {
    return ((AccessAttributes.ResourceAccess) access).verb() == verb;
  }

  private boolean allowed(UserInfo identity, List<AccessAttributes> accesses) throws Exception {
    return authorizer.denied(identity, accesses).isEmpty();
  }

  @Test
  void listAndWatch_areBothNeeded() throws Exception {
    assertThat(allowed(JANE, access(1))).isTrue();
    for (AccessAttributes.Verb one : AccessAttributes.Verb.values()) {
      apiserver.allows((identity, access) -> is(access, one));
      authorizer.invalidate(AffectedSubjects.ALL);

      AccessAttributes denied = authorizer.denied(JANE, access(1)).orElseThrow();
      assertThat(is(denied, one)).isFalse();
    }
  }

  @Test
  void firstDeniedNamespace_isNamed() throws Exception {
    apiserver.allows((identity, access) -> !isIn(access, "n1") && !isIn(access, "n2"));

    assertThat(authorizer.denied(JANE, access(3))).contains(access(3).get(2));
    assertThat(allowed(JANE, access(1))).isTrue();
  }

  @Test
  @Timeout(300)
  void namespaces_areReviewedInBatches() throws Exception {
    CountDownLatch answer = apiserver.hold();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Authorizer busy = of(apiserver, TimeSource.SYSTEM, threads);
      Future<Optional<AccessAttributes>> denied =
          threads.submit(() -> busy.denied(JANE, access(64)));
      await().until(() -> apiserver.asking() == 8);
      answer.countDown();

      assertThat(denied.get()).isEmpty();
    }
    assertThat(apiserver.accesses()).hasSize(128).doesNotHaveDuplicates();
  }

  @Test
  void deniedFirstNamespace_stopsFurtherReviews() throws Exception {
    apiserver.allows((identity, access) -> false);

    assertThat(allowed(JANE, access(64))).isFalse();
    assertThat(apiserver.accesses()).hasSizeLessThanOrEqualTo(8);
  }

  @Test
  void yesIsCachedOneMinute_noTenSeconds() throws Exception {
    assertThat(allowed(JANE, access(1))).isTrue();
    apiserver.allows((identity, access) -> false);
    time.advance(Duration.ofMinutes(1).minusNanos(1));
    assertThat(allowed(JANE, access(1))).isTrue();
    assertThat(apiserver.accesses()).hasSize(2);
    time.advance(Duration.ofNanos(1));
    assertThat(allowed(JANE, access(1))).isFalse();

    apiserver.allows((identity, access) -> true);
    time.advance(Duration.ofSeconds(10).minusNanos(1));
    assertThat(allowed(JANE, access(1))).isFalse();
    time.advance(Duration.ofNanos(1));
    assertThat(allowed(JANE, access(1))).isTrue();
  }

  @Test
  void tenThousandOpens_ofThreeUsers_areFewReviews() throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Authorizer busy = of(apiserver, TimeSource.SYSTEM, threads);
      List<Callable<Optional<AccessAttributes>>> opens = new ArrayList<>();
      for (int i = 0; i < 10_000; i++) {
        UserInfo identity = Callers.user("u" + i % 3);
        opens.add(() -> busy.denied(identity, access(1)));
      }
      Collections.shuffle(opens);
      for (Future<Optional<AccessAttributes>> open : threads.invokeAll(opens)) {
        assertThat(open.get()).isEmpty();
      }
    }
    assertThat(apiserver.accesses()).hasSize(3 * 2);
  }

  /** Callers determine the length of a selector, and so the size of a question in the cache. */
  @Test
  void longSelectors_useUpTheCache() throws Exception {
    String values = String.join(",", IntStream.range(0, 250).mapToObj(i -> "v" + i).toList());
    int questions = 1_600; // 14 KiB each
    for (int i = 0; i < questions; i++) {
      assertThat(allowed(JANE, longAccess("k" + i, values))).isTrue();
    }
    assertThat(apiserver.accesses()).hasSize(questions);
    for (int i = 0; i < questions; i++) {
      assertThat(allowed(JANE, longAccess("k" + i, values))).isTrue();
    }
    assertThat(apiserver.accesses()).hasSizeGreaterThan(questions);
  }

  private static List<AccessAttributes> longAccess(String key, String values) {
    return AccessAttributes.of(
        AccessAttributesTest.selection(
            CacheWriter.TYPE, List.of(), key + " in (" + values + ")", ""),
        List.of(AccessAttributes.Verb.LIST));
  }

  @Test
  void differentIdentities_areReviewedSeparately() throws Exception {
    List<UserInfo> identities =
        List.of(
            JANE,
            UserInfo.authenticated("jane", "1", List.of()),
            UserInfo.authenticated("jane", "", List.of("admins")),
            new UserInfo("jane", "", JANE.groups(), Map.of("k", List.of("v"))));
    apiserver.allows((identity, access) -> identity.groups().contains("admins"));

    for (UserInfo identity : identities) {
      assertThat(allowed(identity, access(1))).isEqualTo(identity.groups().contains("admins"));
    }
    // The order of the groups makes no other user.
    assertThat(UserInfo.authenticated("j", "", List.of("a", "b", "a")))
        .isEqualTo(UserInfo.authenticated("j", "", List.of("b", "a")));
  }

  @Test
  void denial_takesPrecedenceOverMissingAnswer() throws Exception {
    apiserver.isSilentAbout((identity, access) -> isIn(access, "n0"));
    apiserver.allows((identity, access) -> !isIn(access, "n1"));
    assertThat(authorizer.denied(JANE, access(2))).contains(access(2).get(2));

    apiserver.isSilentAbout((identity, access) -> isIn(access, "n2"));
    assertThat(authorizer.denied(JANE, access(3))).isPresent();
  }

  @Test
  void missingAnswer_isNotAllowedAndNotCached() throws Exception {
    apiserver.isSilentAbout((identity, access) -> is(access, AccessAttributes.Verb.WATCH));

    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> authorizer.denied(JANE, access(1)))
          .isInstanceOf(ReviewUnavailableException.class)
          .hasMessage("the script says nothing of rights");
    }
    assertThat(apiserver.accesses()).as("one yes is remembered").hasSize(3);
    apiserver.isSilent(false);
    assertThat(allowed(JANE, access(1))).isTrue();
  }

  @Test
  void failingReviewer_allowsNothing() {
    Authorizer failing =
        of(
            (identity, access) -> {
              throw new IllegalStateException("a bug");
            },
            time.source(),
            Runnable::run);

    assertThatThrownBy(() -> failing.denied(JANE, access(1)))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void withoutAuthorization_everythingIsAllowed() throws Exception {
    apiserver.allows((identity, access) -> false);
    Authorizer open =
        new Authorizer(
            AuthSettings.Authorization.NONE,
            apiserver,
            apiserver,
            time.source(),
            Runnable::run,
            AuthMetrics.NONE);

    assertThat(open.denied(JANE, access(64))).isEmpty();
    assertThat(open.deniedSince(0, JANE, access(64))).isEmpty();
    assertThat(apiserver.accesses()).isEmpty();
  }
}
