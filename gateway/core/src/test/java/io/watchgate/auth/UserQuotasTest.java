package io.watchgate.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.watchgate.cache.CacheWriter;
import io.watchgate.cache.VirtualTime;
import io.watchgate.error.ApiError;
import io.watchgate.error.ApiException;
import io.watchgate.error.QuotaViolation;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.select.CompiledSelection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Tests that the quotas of a user are exact, and returned. */
final class UserQuotasTest {
  private static final AuthSettings.Quotas QUOTAS = new AuthSettings.Quotas(5, 2, 3, 1 << 20);

  private static final String PROJECTION = "full";

  private final VirtualTime time = new VirtualTime();
  private final UserQuotas allowances = of(QUOTAS);

  private UserQuotas of(AuthSettings.Quotas quotas) {
    return new UserQuotas(quotas, time.source());
  }

  private static CompiledSelection selection(int number) {
    return AccessAttributesTest.selection(CacheWriter.TYPE, List.of("n" + number), "", "");
  }

  private interface Attempt {
    Object make() throws ApiException;
  }

  private static QuotaViolation refused(Attempt attempt, String option) {
    try {
      return fail("got " + attempt.make());
    } catch (ApiException e) {
      ApiError refusal = e.error();
      assertThat(refusal.reason()).isEqualTo(ErrorReason.ERROR_REASON_QUOTA);
      assertThat(refusal.message()).contains("\"jane\"", option);
      assertThat(refusal.retryAfter()).isPositive();
      return Objects.requireNonNull(refusal.quota());
    }
  }

  private Object call(String user) throws ApiException {
    allowances.countCall(user);
    return user;
  }

  @Test
  void streamsOfOneUser_areBoundedAndReleased() throws ApiException {
    List<UserQuotas.StreamSlot> places = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      places.add(allowances.takeStreamSlot("jane", selection(0), PROJECTION));
    }
    QuotaViolation quota =
        refused(
            () -> allowances.takeStreamSlot("jane", selection(0), PROJECTION),
            "--max-streams-per-user");

    assertThat(quota.subject()).isEqualTo("streams:user");
    assertThat(quota.limit()).isEqualTo(5);
    assertThat(quota.used()).isEqualTo(5);
    assertThat(allowances.maxStreamsOfOneUser()).isEqualTo(5);
    allowances.takeStreamSlot("joe", selection(0), PROJECTION).close();
    places.getFirst().close();
    places.getFirst().close(); // a second close has no effect
    places.add(allowances.takeStreamSlot("jane", selection(0), PROJECTION));
    refused(
        () -> allowances.takeStreamSlot("jane", selection(0), PROJECTION),
        "--max-streams-per-user");
    places.forEach(UserQuotas.StreamSlot::close);
    assertThat(allowances.maxStreamsOfOneUser()).isZero();
    assertThat(allowances.maxSelectionsOfOneUser()).isZero();
  }

  @Test
  void selections_areCountedOncePerUser() throws ApiException {
    UserQuotas.StreamSlot first = allowances.takeStreamSlot("jane", selection(0), PROJECTION);
    UserQuotas.StreamSlot again = allowances.takeStreamSlot("jane", selection(0), PROJECTION);
    allowances.takeStreamSlot("jane", selection(1), PROJECTION);
    UserQuotas.StreamSlot third = allowances.takeStreamSlot("jane", selection(2), PROJECTION);
    Attempt fourth = () -> allowances.takeStreamSlot("jane", selection(3), PROJECTION);

    QuotaViolation quota = refused(fourth, "--max-selections-per-user");
    assertThat(quota.subject()).isEqualTo("selections:user");
    assertThat(quota.used()).isEqualTo(3);
    assertThat(allowances.maxStreamsOfOneUser()).as("nothing was taken").isEqualTo(4);
    first.close();
    refused(fourth, "--max-selections-per-user");
    again.close();
    UserQuotas.StreamSlot taken = allowances.takeStreamSlot("jane", selection(3), PROJECTION);
    taken.close();
    third.close();
    assertThat(allowances.maxSelectionsOfOneUser()).isEqualTo(1);
  }

  /** The call itself takes a token of the same bucket, which is never fuller than its capacity. */
  @Test
  void callWithMoreQuestionsThanTheBucketHas_passes() throws ApiException {
    allowances.countCall("jane");
    allowances.takeReviewSlot("jane", 128).close();
  }

  @Test
  void calls_areLimitedByBurstAndRate() throws ApiException {
    for (int i = 0; i < 20; i++) {
      allowances.countCall("jane");
    }
    QuotaViolation quota = refused(() -> call("jane"), "--max-opens-per-user");
    assertThat(quota.subject()).isEqualTo("opens:user");
    allowances.countCall("joe");
    time.advance(Duration.ofSeconds(1));
    allowances.countCall("jane");
    allowances.countCall("jane");
    refused(() -> call("jane"), "--max-opens-per-user");
  }

  @Test
  void idleUsers_areRemovedAndOthersKept() throws ApiException {
    allowances.takeStreamSlot("stays", selection(0), PROJECTION);
    for (int i = 0; i < 30_000; i++) {
      allowances.countCall("u" + i);
      time.advance(Duration.ofMillis(1)); // its bucket is full again after half a second
    }

    assertThat(allowances.userCount()).isLessThanOrEqualTo(10_001);
    assertThat(allowances.maxStreamsOfOneUser()).isEqualTo(1);
    allowances.takeStreamSlot("stays", selection(0), PROJECTION);
    assertThat(allowances.maxStreamsOfOneUser()).as("of the same user").isEqualTo(2);
    // A caller over its rate is not forgotten because of other callers.
    UserQuotas few = of(QUOTAS);
    for (int i = 0; i < 20; i++) {
      few.countCall("jane");
    }
    for (int i = 0; i < 10_100; i++) {
      few.countCall("v" + i);
    }
    refused(
        () -> {
          few.countCall("jane");
          return "a call";
        },
        "--max-opens-per-user");
  }

  @Test
  void concurrentSlots_neverExceedQuotaAndAreReleased() throws Exception {
    long seed = System.nanoTime();
    try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
      List<Callable<Void>> tasks = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        Random random = new Random(seed + i);
        tasks.add(
            () -> {
              takeAndGiveBack(random);
              return null;
            });
      }
      for (Future<Void> task : threads.invokeAll(tasks)) {
        task.get();
      }
    }
    assertThat(allowances.maxStreamsOfOneUser()).as("seed %d", seed).isZero();
    assertThat(allowances.maxSelectionsOfOneUser()).as("seed %d", seed).isZero();
  }

  private void takeAndGiveBack(Random random) {
    List<UserQuotas.StreamSlot> own = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) {
      assertThat(allowances.maxStreamsOfOneUser()).isBetween(0, 5);
      assertThat(allowances.maxSelectionsOfOneUser()).isBetween(0, 3);
      if (!own.isEmpty() && random.nextBoolean()) {
        own.remove(random.nextInt(own.size())).close();
      } else {
        try {
          own.add(
              allowances.takeStreamSlot(
                  "u" + random.nextInt(2), selection(random.nextInt(4)), PROJECTION));
        } catch (ApiException e) {
          assertThat(e.error().reason()).isEqualTo(ErrorReason.ERROR_REASON_QUOTA);
        }
      }
    }
    own.forEach(UserQuotas.StreamSlot::close);
  }
}
