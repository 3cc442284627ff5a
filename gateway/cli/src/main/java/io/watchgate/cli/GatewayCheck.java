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
import java.util.concurrent.TimeUnit;

/**
 * Check of the calls of one gateway: that it answers, that its types are up to date, and that the
 * caller may watch. Blocks, at most 10 s for each call.
 *
 * @param target address of the gateway, as it is written
 */
record GatewayCheck(String target, ManagedChannel channel) {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  /** Returns the findings about the gateway, then those of a watch of each selection. */
  List<Finding> findings(List<Selection> selections) {
    List<Finding> findings = new ArrayList<>();
    try {
      List<ServedType> types =
          stub().listResourceTypes(ListResourceTypesRequest.getDefaultInstance()).getTypesList();
      findings.add(Finding.ok(target, "gateway", "it answers, and has " + types.size() + " types"));
      types.forEach(type -> addIfOld(type, findings));
    } catch (StatusRuntimeException e) {
      findings.add(failure("gateway", WatchError.of(e), Selection.getDefaultInstance()));
      return findings;
    }
    selections.forEach(selection -> findings.add(watch(selection)));
    return findings;
  }

  private WatchServiceGrpc.WatchServiceBlockingStub stub() {
    return WatchServiceGrpc.newBlockingStub(channel)
        .withDeadlineAfter(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void addIfOld(ServedType type, List<Finding> findings) {
    String name = TypeArgument.text(type.getResourceType());
    if (!type.getError().isEmpty()) {
      findings.add(
          Finding.warning(
              target,
              "type",
              name + ": " + type.getError(),
              "The log of the gateway, and /debug/types/" + name + " of --http-listen, say more."));
    } else if (TypesCommand.isOld(type)) {
      findings.add(
          Finding.warning(
              target,
              "type",
              name
                  + ": the apiserver confirmed its state "
                  + type.getStaleness().getSeconds()
                  + " s ago",
              "Check the apiserver, and the gateway's connection to it."));
    }
  }

  private Finding watch(Selection selection) {
    String name = TypeArgument.text(selection.getResourceType());
    try {
      Iterator<ListAndWatchResponse> responses =
          stub()
              .listAndWatch(
                  ListAndWatchRequest.newBuilder()
                      .setClientName("watchgate doctor")
                      .setSelection(selection)
                      .build());
      boolean isAnswered = responses.hasNext();
      return isAnswered
          ? Finding.ok(target, "watch", name + " may be watched")
          : Finding.problem(
              target, "watch", name + ": the stream ended without an answer", "Run this again.");
    } catch (StatusRuntimeException e) {
      return failure("watch", WatchError.of(e), selection);
    }
  }

  /** Returns the error of a call; the lines after its first one are the advice. */
  private Finding failure(String check, WatchError error, Selection asked) {
    if (!error.isFromGateway()) {
      TransportErrorText text = TransportErrorText.of(error);
      return Finding.problem(target, check, text.cause(), text.advice());
    }
    List<String> lines = ErrorText.of(error, asked).lines().map(String::strip).toList();
    return Finding.problem(
        target, check, lines.getFirst(), String.join("; ", lines.subList(1, lines.size())));
  }
}
