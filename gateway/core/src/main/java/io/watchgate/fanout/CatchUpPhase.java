package io.watchgate.fanout;

import io.watchgate.cache.Revision;
import io.watchgate.encode.Position;
import io.watchgate.error.StreamErrors;
import org.jspecify.annotations.Nullable;

/**
 * Phase of a stream whose client has the state of one revision and that must join its feed's frame
 * log. If history has every change since that revision, the stream joins; with the policy CONFLATE
 * it first sends a net effect, unless it has just sent one or a snapshot. If changes are missing,
 * {@link LaggardPolicy} decides. The phase requests nothing before its transport is ready, so a
 * stream that does not read only pins its revision.
 */
final class CatchUpPhase implements Phase {
  private final PhaseMachine.Context context;
  private final Revision base;
  private final Position sent;
  private Joining joining = Joining.NOT_YET;
  private @Nullable JoinPoint joinPoint;

  /**
   * True if a conflating stream must send a net effect before it joins the feed. Cleared after one
   * net effect or snapshot, whatever has changed meanwhile.
   */
  private boolean needsNetEffect = true;

  private enum Joining {
    NOT_YET,
    ASKED,
    FAILED,
    LEFT
  }

  /**
   * @param sent position that the client was sent: the base, or a later version without a change
   */
  CatchUpPhase(PhaseMachine.Context context, Revision base, Position sent) {
    this.context = context;
    this.base = base;
    this.sent = sent;
  }

  /** Returns the phase after the state at the base was sent, by a snapshot or a net effect. */
  static CatchUpPhase from(PhaseMachine.Context context, Revision base) {
    CatchUpPhase caughtUp = new CatchUpPhase(context, base, Position.of(base));
    caughtUp.needsNetEffect = false;
    return caughtUp;
  }

  @Override
  public StreamState.Activity activity() {
    return StreamState.Activity.CATCHING_UP;
  }

  @Override
  public @Nullable Phase advance() {
    JoinPoint found = joinPoint;
    if (found != null) {
      joinPoint = null; // the live phase releases it
      return new LivePhase(context, found, sent);
    }
    return switch (joining) {
      case NOT_YET -> nextPhase();
      case ASKED, LEFT -> null;
      case FAILED ->
          throw new IllegalStateException("the changes since " + base + " are not known");
    };
  }

  private @Nullable Phase nextPhase() {
    Revision next = base.next();
    LaggardPolicy policy = context.lagPolicy();
    if (base.isTrimmed()) {
      return policy.onTrimmed(base);
    }
    if (next == null) {
      Phase end = context.endOfCache();
      return end == null ? requestJoinPoint() : end;
    }
    return switch (next.kind()) {
      case RELIST -> policy.onGap(base, next);
      case HISTORY_LOST -> policy.onHistoryLost();
      case CHANGES, PROGRESS -> {
        Phase netEffect = needsNetEffect ? policy.onBehind(base) : null;
        yield netEffect == null ? requestJoinPoint() : netEffect;
      }
    };
  }

  private @Nullable Phase requestJoinPoint() {
    joining = Joining.ASKED;
    context.router().attach(context.feed(), base, new JoinCallback());
    return null;
  }

  /** Receiver of the join point. Called on the thread of the router or of a replay. */
  private final class JoinCallback implements ChangeRouter.Attachment {
    @Override
    public void attached(JoinPoint joinPoint) {
      context.stream().execute(() -> found(joinPoint));
    }

    @Override
    public void failed() {
      context.stream()
          .execute(
              () -> {
                if (joining == Joining.ASKED) {
                  joining = Joining.FAILED;
                  context.stream().runOnce();
                }
              });
    }
  }

  private void found(JoinPoint found) {
    if (joining == Joining.ASKED) {
      joinPoint = found;
      context.stream().runOnce();
    } else {
      release(found);
    }
  }

  private void releaseJoinPoint() {
    JoinPoint unused = joinPoint;
    if (unused != null) {
      joinPoint = null;
      release(unused);
    }
  }

  private void release(JoinPoint unused) {
    unused.release();
    context.router().detach(context.feed());
  }

  /**
   * Releases the join point: frames are kept only for streams that read. The stream requests
   * another one when it reads again.
   */
  @Override
  public Phase onStall() {
    if (joinPoint != null) {
      joining = Joining.NOT_YET;
      releaseJoinPoint();
    }
    return this;
  }

  @Override
  public Position position() {
    return sent;
  }

  @Override
  public Revision pinnedRevision() {
    return base;
  }

  /**
   * Returns the phase after the pin was revoked. The head is too far away, because the stream was
   * read too slowly or a list replaced too much at once.
   */
  @Override
  public Phase afterPinLoss() {
    return context.lagPolicy().onUnreachable(base, StreamErrors.TOO_MUCH_CHANGED);
  }

  @Override
  public void leave() {
    joining = Joining.LEFT;
    releaseJoinPoint();
  }
}
