package io.watchgate.auth;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiPredicate;

/** Apiserver whose answers about tokens and access are scripted by a test. Thread-safe. */
public final class ScriptedReviewers implements TokenReviewer, AccessReviewer {
  private final Map<String, UserInfo> known = new ConcurrentHashMap<>();
  private final List<String> tokens = new CopyOnWriteArrayList<>();
  private final List<AccessAttributes> accesses = new CopyOnWriteArrayList<>();
  private final AtomicInteger asking = new AtomicInteger();
  private final AtomicInteger mostAsking = new AtomicInteger();
  private volatile BiPredicate<UserInfo, AccessAttributes> rule = (identity, access) -> true;
  private volatile BiPredicate<UserInfo, AccessAttributes> silence = (identity, access) -> false;
  private volatile boolean tokensUnanswered;
  private volatile CountDownLatch held = new CountDownLatch(0);

  /** Makes a token valid, for this user without groups. */
  public void knows(String token, String user) {
    knows(token, UserInfo.authenticated(user, "", List.of()));
  }

  void knows(String token, UserInfo identity) {
    known.put(token, identity);
  }

  public void forgets(String token) {
    known.remove(token);
  }

  /** Sets which accesses are allowed. */
  public void allows(BiPredicate<UserInfo, AccessAttributes> next) {
    rule = next;
  }

  /** Sets the accesses that are not answered. */
  public void isSilentAbout(BiPredicate<UserInfo, AccessAttributes> next) {
    silence = next;
  }

  /** Sets whether all questions are unanswered. */
  public void isSilent(boolean silent) {
    tokensUnanswered = silent;
    silence = (identity, access) -> silent;
  }

  /** Blocks all questions until the latch is counted down. */
  public CountDownLatch hold() {
    CountDownLatch latch = new CountDownLatch(1);
    held = latch;
    return latch;
  }

  /** Returns the reviewed tokens. */
  public List<String> tokens() {
    return tokens;
  }

  /** Returns the reviewed accesses. */
  public List<AccessAttributes> accesses() {
    return accesses;
  }

  /** Returns the number of questions that wait for an answer. */
  public int asking() {
    return asking.get();
  }

  int mostAsking() {
    return mostAsking.get();
  }

  @Override
  public Optional<UserInfo> review(String token, List<String> audiences)
      throws ReviewUnavailableException, InterruptedException {
    if (!audiences.equals(List.of(Callers.AUDIENCE))) {
      throw new AssertionError(audiences);
    }
    tokens.add(token);
    await();
    if (tokensUnanswered) {
      throw new ReviewUnavailableException("the script says nothing of tokens");
    }
    return Optional.ofNullable(known.get(token));
  }

  @Override
  public boolean isAllowed(UserInfo identity, AccessAttributes access)
      throws ReviewUnavailableException, InterruptedException {
    accesses.add(access);
    await();
    if (silence.test(identity, access)) {
      throw new ReviewUnavailableException("the script says nothing of rights");
    }
    return rule.test(identity, access);
  }

  private void await() throws InterruptedException {
    mostAsking.accumulateAndGet(asking.incrementAndGet(), Math::max);
    try {
      held.await();
    } finally {
      asking.decrementAndGet();
    }
  }
}
