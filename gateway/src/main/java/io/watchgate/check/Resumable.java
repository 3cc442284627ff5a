package io.watchgate.check;

import io.watchgate.check.Signal.Opened;
import io.watchgate.check.Signal.Plain;
import io.watchgate.check.Signal.SnapshotStarted;
import io.watchgate.check.Signal.SnapshotStarted.Reason;
import java.util.List;

/** {@link Promise#RESUMABLE}. */
final class Resumable implements Check {
  @Override
  public Promise promise() {
    return Promise.RESUMABLE;
  }

  @Override
  public void judge(Examined examined, Findings findings) {
    if (!(examined.session().start() instanceof Start.AtToken)) {
      return;
    }
    List<Heard> heard = examined.session().heard();
    for (int at = 0; at < heard.size(); at++) {
      if (isAnswer(heard.get(at), at, findings)) {
        break;
      }
    }
    examined.passages().stream()
        .findFirst()
        .filter(first -> first instanceof Passage.Changes && examined.isSentEachChange())
        .ifPresent(
            first -> Complete.judgeEach((Passage.Changes) first, examined.selected(), findings));
  }

  private static boolean isAnswer(Heard one, int at, Findings findings) {
    return switch (one) {
      case Heard.Ended ended -> {
        findings.expect(
            !ended.reason().startsWith("TOKEN_"),
            at,
            () -> "a token of this very selection and shape was refused");
        yield true;
      }
      case Heard.Unreadable _ -> false;
      case Heard.Response response ->
          switch (response.signal()) {
            case SnapshotStarted started -> {
              findings.expect(
                  started.reason() == Reason.POSITION_EXPIRED,
                  at,
                  () -> "a token was answered with a snapshot, " + started.reason());
              yield true;
            }
            case Plain plain when plain == Plain.RESUMED -> {
              findings.expect(response.hasPosition(), at, () -> "Resumed has a position");
              yield true;
            }
            case Opened _, Signal.Bookmark _, Plain _ -> {
              findings.expect(response.events().isEmpty(), at, () -> "changes before Resumed");
              yield false;
            }
            case Signal.Synced _, Signal.NetEffectStarted _ -> {
              findings.expect(false, at, () -> response.signal() + " before Resumed");
              yield true;
            }
          };
    };
  }
}
