package io.watchgate.cli;

import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.watchgate.cli.doctor.Finding;
import io.watchgate.client.WatchError;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.ListResourceTypesRequest;
import io.watchgate.proto.v1.Selection;
import io.watchgate.proto.v1.ServedType;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Check of the calls of one gateway: that it answers, that its types are up to date, and that the
 * caller may watch. Blocks, at most 10 s for each call.
 *
 * @param target address of the gateway, as it is written
 * @param maxOutage time without the apiserver after which a type is a problem
 */
record GatewayCheck(String target, ManagedChannel channel, Duration maxOutage) {
  /** Default of {@code --max-outage}: longer than a restart of an apiserver usually takes. */
  static final Duration DEFAULT_MAX_OUTAGE = Duration.ofMinutes(1);

  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  /** Returns the findings about the gateway, then those of a watch of each selection. */
  List<Finding> findings(List<Selection> selections) {
    List<Finding> findings = new ArrayList<>();
    List<ServedType> notCurrent = new ArrayList<>();
    try {
      List<ServedType> types =
          stub().listResourceTypes(ListResourceTypesRequest.getDefaultInstance()).getTypesList();
      findings.add(Finding.ok(target, "gateway", "it answers, and has " + types.size() + " types"));
      for (ServedType type : types) {
        Optional<Finding> finding = outage(type);
        finding.ifPresent(findings::add);
        finding.ifPresent(found -> notCurrent.add(type));
      }
    } catch (StatusRuntimeException e) {
      findings.add(failure("gateway", WatchError.of(e), Selection.getDefaultInstance()));
      return findings;
    }
    selections.forEach(selection -> findings.add(watch(selection, notCurrent)));
    return findings;
  }

  private WatchServiceGrpc.WatchServiceBlockingStub stub() {
    return WatchServiceGrpc.newBlockingStub(channel)
        .withDeadlineAfter(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Returns the finding about a type that is not up to date; empty if it is. */
  private Optional<Finding> outage(ServedType type) {
    String name = TypeArgument.text(type.getResourceType());
    Duration age = Duration.ofSeconds(type.getStaleness().getSeconds());
    boolean isLong = age.compareTo(maxOutage) >= 0;
    String failure = type.getError().isEmpty() ? "" : ": " + type.getError();
    String text;
    if (type.getSynced()) {
      if (type.getError().isEmpty() && !TypesCommand.isOld(type)) {
        return Optional.empty();
      }
      text = "%s: the apiserver confirmed its state %d s ago".formatted(name, age.toSeconds());
    } else if (type.hasStaleness() && (isLong || !type.getError().isEmpty())) {
      text = "%s: it has been loading for %d s".formatted(name, age.toSeconds());
    } else if (type.getError().isEmpty()) {
      return Optional.empty(); // not in use, or its first list has just begun
    } else {
      text = name + ": it cannot be read";
    }
    return Optional.of(
        new Finding(
            target,
            "type",
            isLong ? Finding.Level.PROBLEM : Finding.Level.WARNING,
            text + failure,
            "Correct the cause that the text names; if it names none, check the apiserver and the"
                + " network to it."
                + " /debug/types/"
                + name
                + " of --http-listen has each attempt of the gateway."));
  }

  private Finding watch(Selection selection, List<ServedType> notCurrent) {
    String name = TypeArgument.text(selection.getResourceType());
    try {
      Iterator<ListAndWatchResponse> responses =
          stub()
              .listAndWatch(
                  ListAndWatchRequest.newBuilder()
                      .setClientName("watchgate doctor")
                      .setSelection(selection)
                      .build());
      if (!responses.hasNext()) {
        return Finding.problem(
            target,
            "watch",
            name + ": the stream ended without an answer",
            "The gateway's log has the reason; without a line there, a proxy in between ended it.");
      }
      // A stream is opened from the state that the gateway has, however old.
      return notCurrent.stream()
              .noneMatch(type -> UpstreamFailureLookup.matches(selection.getResourceType(), type))
          ? Finding.ok(target, "watch", name + " may be watched")
          : Finding.warning(
              target,
              "watch",
              name + " may be watched, but nothing new arrives: see its line 'type'",
              "Clients keep their streams and their state; they get the changes once the type is"
                  + " up to date again.");
    } catch (StatusRuntimeException e) {
      return failure("watch", WatchError.of(e), selection);
    }
  }

  /** Returns the error of a call; the lines after its first one are the advice. */
  private Finding failure(String check, WatchError error, Selection sent) {
    if (!error.isFromGateway()) {
      TransportErrorText text = TransportErrorText.of(error);
      return Finding.problem(target, check, text.cause(), text.advice());
    }
    List<String> lines = ErrorText.of(error, sent).lines().map(String::strip).toList();
    return Finding.problem(
        target, check, lines.getFirst(), String.join("; ", lines.subList(1, lines.size())));
  }
}
