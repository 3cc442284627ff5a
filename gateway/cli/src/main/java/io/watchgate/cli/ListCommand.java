package io.watchgate.cli;

import com.google.protobuf.ByteString;
import io.watchgate.cli.UnaryClient.RequestFailedException;
import io.watchgate.cli.output.EventOutput;
import io.watchgate.cli.output.EventOutput.Part;
import io.watchgate.cli.output.TableShape.Extra;
import io.watchgate.client.WatchClient;
import io.watchgate.proto.v1.ListObjectsRequest;
import io.watchgate.proto.v1.ListObjectsResponse;
import io.watchgate.proto.v1.Selection;
import io.watchgate.proto.v1.WatchEvent;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code watchgate list}: prints the objects that match, once. */
@Command(
    name = "list",
    aliases = "get",
    customSynopsis = {
      "watchgate list TYPE[/NAME] [NAME] [-n NS] [-l SELECTOR] [-o FORMAT]",
      "               [OPTION...]"
    },
    description = {
      "Prints the objects that match, those of each type all of one moment, and ends.",
      "stdout is data only. stderr says so if the state is old: if the apiserver confirmed it more"
          + " than a minute ago, or cannot be asked now."
    },
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:they were printed, if any; or the reader of stdout closed the pipe, as head does",
      "1:the gateway cannot be asked or refuses, or there is no object NAME; stderr says why",
      "2:the command line is wrong",
      "130, 143:ended by Ctrl-C, by SIGTERM"
    },
    footer = {"", "TEMPLATE: see 'watchgate watch --help'."})
final class ListCommand implements Callable<Integer> {
  private static final int PAGE_SIZE = 500;

  private final Stdio stdio;

  @Mixin private final SelectionOptions selection = new SelectionOptions();
  @Mixin private final OutputOptions.OfList output = new OutputOptions.OfList();
  @Mixin private final ProjectionOptions projection = new ProjectionOptions();

  @Option(
      names = "--limit",
      paramLabel = "COUNT",
      description = "Maximum number of objects to print; not with --sort-by. Default: all.")
  private Optional<Integer> limit = Optional.empty();

  @Option(
      names = "--sort-by",
      paramLabel = "PATH",
      converter = ObjectOrder.Converter.class,
      description =
          "Sort those of each type by the value at this path: .metadata.creationTimestamp,"
              + " .status.podIP. Objects without it come first, then numbers, then texts. Not with"
              + " --limit. Default: in the gateway's order.")
  private @Nullable ObjectOrder order;

  @Mixin private final FreshnessOptions freshness = new FreshnessOptions();
  @Mixin private final KubeconfigOptions user = new KubeconfigOptions();
  @Mixin private final ClientOptions server;

  ListCommand(Stdio stdio) {
    this.stdio = stdio;
    this.server = new ClientOptions(stdio.environment(), user);
  }

  @Override
  public Integer call() throws InterruptedException {
    List<Selection> asked = selection.selections();
    if (limit.filter(count -> count < 1).isPresent()) {
      throw selection.usageError(
          "--limit " + limit.get() + " is below 1; leave it out for all objects");
    }
    if (limit.isPresent() && asked.size() > 1) {
      throw selection.usageError("--limit is for one type");
    }
    if (order != null && limit.isPresent()) {
      throw selection.usageError(
          "--sort-by and --limit exclude each other: which objects come first is known once all"
              + " are there");
    }
    Set<Extra> extras = selection.extras();
    output.check();
    var _ = projection.forOutput(output); // contradictions are reported before any request
    ReconnectReporter reporter = new ReconnectReporter(stdio.err());
    output.warnOfListTemplate(reporter);
    return UnaryClient.print(
        server,
        reporter,
        client -> print(client, asked, output.forList(stdio, extras, client), reporter));
  }

  private int print(
      WatchClient client, List<Selection> types, EventOutput printed, ReconnectReporter reporter)
      throws IOException, RequestFailedException, InterruptedException {
    List<Listed> lists = new ArrayList<>();
    for (Selection asked : types) {
      lists.add(
          print(client, asked, printed, types.size() == 1 ? reporter : reporter.about(asked)));
    }
    printed.finish(
        new EventOutput.ListEnd(
            // Lists of several types are of several moments.
            lists.size() == 1 ? lists.getFirst().last.getResourceVersion() : "",
            lists.stream().map(Listed::age).max(Comparator.naturalOrder()).orElseThrow(),
            lists.stream()
                .map(Listed::upstreamError)
                .filter(error -> !error.isEmpty())
                .findFirst()
                .orElse("")));
    return reportEnd(
        lists, new NamespaceLookup(client, types.getFirst().getNamespacesList()), reporter);
  }

  /**
   * Printed list of one type.
   *
   * @param last its last page
   * @param upstreamError failure that keeps the gateway from the apiserver; empty if none is known
   */
  private record Listed(int count, ListObjectsResponse last, Duration age, String upstreamError) {}

  private Listed print(
      WatchClient client, Selection asked, EventOutput printed, ReconnectReporter reporter)
      throws IOException, RequestFailedException, InterruptedException {
    UnaryClient questions = new UnaryClient(server.where(), asked, reporter);
    PlaceholderBody standIn = new PlaceholderBody();
    int most = limit.orElse(Integer.MAX_VALUE);
    int count = 0;
    ByteString next = ByteString.EMPTY;
    List<WatchEvent> unsorted = new ArrayList<>();
    ListObjectsResponse page;
    do {
      ListObjectsRequest request = page(asked, next, Math.min(PAGE_SIZE, most - count));
      page = questions.callWithRetry(() -> client.listObjects(request, UnaryClient.TIMEOUT));
      List<WatchEvent> objects =
          page.getObjectsList().stream().map(each -> standIn.complete(each, reporter)).toList();
      if (order != null) {
        unsorted.addAll(objects);
      } else if (!objects.isEmpty()) {
        printed.write(Part.SNAPSHOT, objects);
      }
      count += objects.size();
      next = page.getNextPageToken();
    } while (!next.isEmpty() && count < most);
    if (order != null && !unsorted.isEmpty()) {
      printed.write(Part.SNAPSHOT, order.sorted(unsorted));
    }
    Duration age = age(page);
    String trouble =
        new StalenessNotice(
                reporter, new UpstreamFailureLookup(client, asked.getResourceType())::failure)
            .checkList(age);
    return new Listed(count, page, age, trouble);
  }

  /** Returns the staleness, clamped to the valid range, which a gateway's value never leaves. */
  private static Duration age(ListObjectsResponse page) {
    com.google.protobuf.Duration wire = page.getStaleness();
    return Duration.ofSeconds(
        Math.clamp(wire.getSeconds(), 0, Integer.MAX_VALUE),
        Math.clamp(wire.getNanos(), 0, 999_999_999));
  }

  private ListObjectsRequest page(Selection asked, ByteString token, int size) {
    ListObjectsRequest.Builder request =
        ListObjectsRequest.newBuilder()
            .setSelection(asked)
            .setProjection(projection.forOutput(output))
            .setPageSize(size)
            .setPageToken(token);
    freshness.maxStaleness().ifPresent(request::setMaxStaleness);
    return request.build();
  }

  private int reportEnd(
      List<Listed> lists, NamespaceLookup namespaces, ReconnectReporter reporter) {
    int count = lists.stream().mapToInt(Listed::count).sum();
    ListObjectsResponse last = lists.getLast().last;
    if (!last.getNextPageToken().isEmpty()) {
      reporter.report(
          count + " of " + last.getTotalObjects() + " objects; leave --limit out to see all");
    } else if (count == 0 && !selection.name().isEmpty()) {
      String reason = namespaces.missing();
      reporter.report(
          reason.isEmpty() ? "there is no object '" + selection.name() + "' that matches" : reason);
      return ExitCodes.FAILED;
    } else if (count == 0) {
      String reason = namespaces.missing();
      reporter.report(reason.isEmpty() ? "nothing matches" : "nothing matches: " + reason);
    }
    return ExitCodes.SUCCESS;
  }
}
