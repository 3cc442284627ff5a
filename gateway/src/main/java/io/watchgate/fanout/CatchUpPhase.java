package io.watchgate.fanout;

import io.watchgate.cache.Revision;
import org.jspecify.annotations.Nullable;

/**
 * Stands on a revision whose state has been sent, and looks for the way on: into the feed's chain
 * where history tells every change since, by the net effect where it does not. It asks nothing of
 * anybody before its transport is ready; one that does not read just stands.
 */
final class CatchUpPhase implements Phase {
  private final StreamContext context;
  private final Revision base;
  private final Position sent;
  private Joining joining = Joining.NOT_YET;
  private @Nullable JoinPoint entrance;

  /** Who conflates joins the feed after a net effect, however much has happened meanwhile. */
  private boolean behind = true;

  private enum Joining {
    NOT_YET,
    ASKED,
    FAILED,
    LEFT
  }

  /**
   * @param sent what the client was told it has: the base, or a version after it without a change
   */
  CatchUpPhase(StreamContext context, Revision base, Position sent) {
    this.context = context;
    this.base = base;
    this.sent = sent;
  }

  /** The state at the base was sent just now, whole or as a net effect. */
  static CatchUpPhase from(StreamContext context, Revision base) {
    CatchUpPhase caughtUp = new CatchUpPhase(context, base, Position.of(base));
    caughtUp.behind = false;
    return caughtUp;
  }

  @Override
  public @Nullable Phase step() {
    JoinPoint found = entrance;
    if (found != null) {
      entrance = null; // whoever follows gives it back
      return new LivePhase(context, found, sent);
    }
    return switch (joining) {
      case NOT_YET -> wayOn();
      case ASKED, LEFT -> null;
      case FAILED ->
          throw new IllegalStateException("the changes since " + base + " are not known");
    };
  }

  private @Nullable Phase wayOn() {
    Revision next = base.next();
    if (base.trimmed()) {
      return lagged();
    }
    if (next == null) {
      Phase end = context.stream().endOfCache();
      return end == null ? ask() : end;
    }
    return switch (next.kind()) {
      case RELIST -> upstreamGap(next);
      case HISTORY_LOST -> context.historyLost();
      case CHANGES, PROGRESS -> context.conflates() && behind ? netEffect(context.head()) : ask();
    };
  }

  private Phase upstreamGap(Revision relist) {
    if (context.disconnects()) {
      return context.changesLost(base);
    }
    return context.conflates()
        ? netEffect(context.head())
        : new NetEffectPhase(context, base, relist, NetEffectPhase.reason(base, relist));
  }

  private Phase lagged() {
    Revision head = context.head();
    if (!head.isOfTheHistoryOf(base)) {
      return context.historyLost();
    }
    if (context.disconnects()) {
      return head.hasGapSince(base) ? context.changesLost(base) : StreamContext.lagged();
    }
    Revision checkpoint = context.router().checkpoint();
    return netEffect(
        checkpoint != null && base.isBefore(checkpoint) && !checkpoint.trimmed()
            ? checkpoint
            : head);
  }

  private Phase netEffect(Revision head) {
    return head.isOfTheHistoryOf(base)
        ? new NetEffectPhase(context, base, head, NetEffectPhase.reason(base, head))
        : context.historyLost();
  }

  private @Nullable Phase ask() {
    joining = Joining.ASKED;
    context.router().attach(context.feed(), base, new Answer());
    return null;
  }

  /** Comes on the router's thread, or a replay's. */
  private final class Answer implements ChangeRouter.Attachment {
    @Override
    public void attached(JoinPoint found) {
      context.stream().execute(() -> found(found));
    }

    @Override
    public void failed() {
      context.stream()
          .execute(
              () -> {
                if (joining == Joining.ASKED) {
                  joining = Joining.FAILED;
                  context.stream().turn();
                }
              });
    }
  }

  private void found(JoinPoint found) {
    if (joining == Joining.ASKED) {
      entrance = found;
      context.stream().turn();
    } else {
      giveBack(found);
    }
  }

  private void leaveEntrance() {
    JoinPoint unused = entrance;
    if (unused != null) {
      entrance = null;
      giveBack(unused);
    }
  }

  private void giveBack(JoinPoint unused) {
    unused.release();
    context.router().detach(context.feed());
  }

  /** Frames are for those who read: one who does not asks anew when it does. */
  @Override
  public Phase stalls() {
    if (entrance != null) {
      joining = Joining.NOT_YET;
      leaveEntrance();
    }
    return this;
  }

  @Override
  public Position position() {
    return sent;
  }

  @Override
  public Revision standing() {
    return base;
  }

  /**
   * The head is too far away: the stream was read too slowly, or a list brought too much at once.
   */
  @Override
  public Phase letGo() {
    Revision head = context.head();
    if (!head.isOfTheHistoryOf(base)) {
      return context.historyLost();
    }
    if (context.disconnects()) {
      return head.hasGapSince(base) ? context.changesLost(base) : StreamContext.lagged();
    }
    return context.expired("So much changed since the state that this stream stands on was sent.");
  }

  @Override
  public void leave() {
    joining = Joining.LEFT;
    leaveEntrance();
  }
}
