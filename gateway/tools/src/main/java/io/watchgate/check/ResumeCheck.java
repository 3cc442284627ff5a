package io.watchgate.check;

import io.watchgate.check.RecordedSignal.Opened;
import io.watchgate.check.RecordedSignal.Plain;
import io.watchgate.check.RecordedSignal.SnapshotStarted;
import io.watchgate.check.RecordedSignal.SnapshotStarted.Reason;
import java.util.List;

/** Check of {@link Promise#RESUMABLE}. */
final class ResumeCheck {
  private ResumeCheck() {}

  static void judge(AnalyzedSession analyzed, Findings findings) {
    if (!(analyzed.session().request().start() instanceof StartSpec.AtToken)) {
      return;
    }
    List<RecordedMessage> messages = analyzed.session().messages();
    for (int at = 0; at < messages.size(); at++) {
      if (isAnswer(messages.get(at), at, findings)) {
        break;
      }
    }
    analyzed.segments().stream()
        .findFirst()
        .filter(first -> first instanceof Segment.Changes && analyzed.hasEachChange())
        .ifPresent(
            first ->
                CompletenessCheck.judgeEach(
                    (Segment.Changes) first, analyzed.filteredTruth(), findings));
  }

  private static boolean isAnswer(RecordedMessage one, int at, Findings findings) {
    return switch (one) {
      case RecordedMessage.Ended ended -> {
        findings.expect(
            !ended.reason().startsWith("TOKEN_"),
            at,
            () -> "a token of this selection and projection was refused");
        yield true;
      }
      case RecordedMessage.Unreadable _ -> false;
      case RecordedMessage.Response response ->
          switch (response.signal()) {
            case SnapshotStarted started -> {
              findings.expect(
                  started.reason() == Reason.POSITION_EXPIRED,
                  at,
                  () -> "a token was answered with a snapshot, " + started.reason());
              yield true;
            }
            case Plain plain when plain == Plain.RESUMED -> {
              findings.expect(response.hasPosition(), at, () -> "Resumed without a position");
              yield true;
            }
            case Opened _, RecordedSignal.Bookmark _, Plain _ -> {
              findings.expect(response.events().isEmpty(), at, () -> "changes before Resumed");
              yield false;
            }
            case RecordedSignal.Synced _, RecordedSignal.NetEffectStarted _ -> {
              findings.expect(false, at, () -> response.signal() + " before Resumed");
              yield true;
            }
          };
    };
  }
}
