package io.watchgate.check;

import io.watchgate.check.RecordedSignal.NetEffectStarted;
import io.watchgate.check.RecordedSignal.Opened;
import io.watchgate.check.RecordedSignal.Plain;
import io.watchgate.check.RecordedSignal.SnapshotStarted;
import io.watchgate.check.RecordedSignal.Synced;
import java.util.List;

/** Check of {@link Promise#FRAMED}. */
final class FramingCheck {
  private FramingCheck() {}

  static void judge(AnalyzedSession analyzed, Findings findings) {
    List<RecordedMessage> messages = analyzed.session().messages();
    RecordedSignal group = Plain.NONE;
    for (int at = 0; at < messages.size(); at++) {
      switch (messages.get(at)) {
        case RecordedMessage.Ended ended -> judgeEnd(ended, at, messages.size(), findings);
        case RecordedMessage.Unreadable unreadable ->
            findings.expect(false, at, () -> "a response cannot be read: " + unreadable.reason());
        case RecordedMessage.Response response -> {
          judgeResponse(analyzed.session(), response, at, group, findings);
          group = groupAfter(response, group);
        }
      }
    }
  }

  private static RecordedSignal groupAfter(
      RecordedMessage.Response response, RecordedSignal group) {
    return switch (response.signal()) {
      case SnapshotStarted started -> started;
      case NetEffectStarted started -> started;
      case Synced _ -> Plain.NONE;
      case Opened _, RecordedSignal.Bookmark _, Plain _ ->
          group instanceof NetEffectStarted && response.hasPosition() ? Plain.NONE : group;
    };
  }

  private static void judgeEnd(RecordedMessage.Ended ended, int at, int all, Findings findings) {
    findings.expect(at == all - 1, at, () -> "something came after the end");
    findings.expect(!ended.code().equals("OK"), at, () -> "the server ended the stream with OK");
    findings.expect(
        ended.reason().isEmpty() == ended.action().isEmpty(),
        at,
        () -> "an error has only one of reason and action");
  }

  private static void judgeResponse(
      Session session,
      RecordedMessage.Response response,
      int at,
      RecordedSignal group,
      Findings findings) {
    findings.expect(
        response.hasPosition() != response.token().isEmpty(),
        at,
        () -> "a response has only one of version and token");
    findings.expect(
        (at == 0) == response.signal() instanceof Opened,
        at,
        () -> "the first response is not StreamOpened, or StreamOpened was repeated");
    boolean inSnapshot = group instanceof SnapshotStarted;
    switch (response.signal()) {
      case SnapshotStarted _ -> judgeGroupStart(response, at, findings);
      case NetEffectStarted _ -> {
        judgeGroupStart(response, at, findings);
        findings.expect(
            session.request().policy() != Session.Policy.CONFLATE,
            at,
            () -> "NetEffectStarted in a stream with CONFLATE");
      }
      case Synced _ -> {
        findings.expect(inSnapshot, at, () -> "Synced without SnapshotStarted");
        findings.expect(response.hasPosition(), at, () -> "Synced without a position");
      }
      case Opened _, RecordedSignal.Bookmark _, Plain _ -> {
        findings.expect(
            !inSnapshot || !response.hasPosition(), at, () -> "a position inside a snapshot");
        // With CONFLATE, net effects have any size and are not announced.
        boolean inGroup =
            group != Plain.NONE || session.request().policy() == Session.Policy.CONFLATE;
        findings.expect(
            inGroup || response.hasPosition() || response.events().isEmpty(),
            at,
            () -> "changes outside of a group without a position");
      }
    }
  }

  private static void judgeGroupStart(
      RecordedMessage.Response response, int at, Findings findings) {
    findings.expect(
        response.events().isEmpty() && !response.hasPosition(),
        at,
        () -> "the start of a group is not alone in its response, or has a position");
  }
}
