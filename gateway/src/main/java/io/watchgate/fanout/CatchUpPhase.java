package io.watchgate.fanout;

import io.watchgate.cache.Revision;
import org.jspecify.annotations.Nullable;

/**
 * Phase of a stream whose client has the state of one revision and that needs the way to its feed.
 * If history has every change since that revision, the stream joins the feed's frame log. If
 * history does not, the stream sends the net effect. The phase requests nothing before its
 * transport is ready, so a stream that does not read only pins its revision.
 */
final class CatchUpPhase implements Phase {
  private final StreamContext context;
  private final Revision base;
  private final Position sent;
  private Joining joining = Joining.NOT_YET;
  private @Nullable JoinPoint entrance;

  /**
   * True if a conflating stream must send a net effect before it joins the feed. Cleared after one
   * net effect or snapshot, whatever has changed meanwhile.
   */
  private boolean behind = true;

  private enum Joining {
    NOT_YET,
    ASKED,
    FAILED,
    LEFT
  }

  /**
   * @param sent position that the client was sent: the base, or a later version without a change
   */
  CatchUpPhase(StreamContext context, Revision base, Position sent) {
    this.context = context;
    this.base = base;
    this.sent = sent;
  }

  /** Returns the phase after the state at the base was sent, by a snapshot or a net effect. */
  static CatchUpPhase from(StreamContext context, Revision base) {
    CatchUpPhase caughtUp = new CatchUpPhase(context, base, Position.of(base));
    caughtUp.behind = false;
    return caughtUp;
  }

  @Override
  public @Nullable Phase step() {
    JoinPoint found = entrance;
    if (found != null) {
      entrance = null; // the live phase releases it
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

  /** Receiver of the join point. Called on the thread of the router or of a replay. */
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

  /**
   * Releases the join point: frames are kept only for streams that read. The stream requests
   * another one when it reads again.
   */
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
   * Returns the phase after the pin was revoked. The head is too far away, because the stream was
   * read too slowly or a list replaced too much at once.
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
