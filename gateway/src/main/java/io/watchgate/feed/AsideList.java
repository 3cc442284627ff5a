package io.watchgate.feed;

import org.jspecify.annotations.Nullable;

/**
 * Those of a group whose transports take no more, who has been waiting longest first. The links are
 * in the subscriptions themselves: where a change is more than the transports take at once, each
 * delivery passes through here, and is to leave no garbage.
 */
final class AsideList {
  private @Nullable Subscription first;
  private @Nullable Subscription last;

  @Nullable Subscription first() {
    return first;
  }

  /** Puts it behind all others; nothing if it is here already. */
  void add(Subscription subscription) {
    if (subscription.isAside) {
      return;
    }
    subscription.isAside = true;
    subscription.asideBefore = last;
    if (last == null) {
      first = subscription;
    } else {
      last.asideAfter = subscription;
    }
    last = subscription;
  }

  /** Takes it out; nothing if it is not here. */
  void remove(Subscription subscription) {
    if (!subscription.isAside) {
      return;
    }
    Subscription before = subscription.asideBefore;
    Subscription after = subscription.asideAfter;
    if (before == null) {
      first = after;
    } else {
      before.asideAfter = after;
    }
    if (after == null) {
      last = before;
    } else {
      after.asideBefore = before;
    }
    subscription.asideBefore = null;
    subscription.asideAfter = null;
    subscription.isAside = false;
  }
}
