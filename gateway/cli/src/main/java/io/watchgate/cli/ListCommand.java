package io.watchgate.cli;

import static java.util.Objects.requireNonNull;

import com.google.protobuf.ByteString;
import io.grpc.StatusRuntimeException;
import io.watchgate.cli.UnaryClient.RequestFailedException;
import io.watchgate.cli.live.StalenessThreshold;
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
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
      "Prints the matching objects and ends. All objects of one type are of the same moment.",
      "stdout is data only. stderr says so if the state is old: if the apiserver confirmed it more"
          + " than two minutes ago (15 for events), or cannot be asked now."
    },
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:they were printed, if any; or the reader of stdout closed the pipe, as head does",
      "1:the gateway cannot be asked or refuses, or a TYPE has no object NAME; stderr says why",
      "2:the command line is wrong",
      "130, 143:ended by Ctrl-C, by SIGTERM"
    })
final class ListCommand implements Callable<Integer> {
  private static final int PAGE_SIZE = 500;

  /** Short, because the answer is for advice only. */
  private static final Duration TYPES_TIMEOUT = Duration.ofSeconds(2);

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
    List<Selection> selected = selection.selections();
    if (limit.filter(count -> count < 1).isPresent()) {
      throw selection.usageError(
          "--limit " + limit.get() + " is below 1; leave it out for all objects");
    }
    if (limit.isPresent() && selected.size() > 1) {
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
    return UnaryClient.print(
        server,
        reporter,
        client -> print(client, selected, output.forList(stdio, extras, client), reporter));
  }

  private int print(
      WatchClient client, List<Selection> types, EventOutput printed, ReconnectReporter reporter)
      throws IOException, RequestFailedException, InterruptedException {
    Map<Selection, ListObjectsResponse> firstPages = new LinkedHashMap<>();
    for (Selection selected : types) {
      // Before any output, so that a refused type leaves no partial list.
      firstPages.put(
          selected,
          request(client, selected, ByteString.EMPTY, 0, reporterOf(selected, types, reporter)));
    }
    List<Listed> lists = new ArrayList<>();
    for (Selection selected : types) {
      ListObjectsResponse first = requireNonNull(firstPages.remove(selected));
      lists.add(print(client, selected, first, printed, reporterOf(selected, types, reporter)));
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
    return reportEnd(client, lists, reporter);
  }

  private static ReconnectReporter reporterOf(
      Selection selected, List<Selection> types, ReconnectReporter reporter) {
    return types.size() == 1 ? reporter : reporter.about(selected);
  }

  /**
   * Printed list of one type.
   *
   * @param namespaces those of the named namespaces that have objects
   * @param last its last page
   * @param upstreamError failure that keeps the gateway from the apiserver; empty if none is known
   */
  private record Listed(
      Selection selected,
      int count,
      Set<String> namespaces,
      ListObjectsResponse last,
      Duration age,
      String upstreamError) {}

  private Listed print(
      WatchClient client,
      Selection selected,
      ListObjectsResponse firstPage,
      EventOutput printed,
      ReconnectReporter reporter)
      throws IOException, RequestFailedException, InterruptedException {
    PlaceholderBody placeholderBody = new PlaceholderBody();
    int count = 0;
    Set<String> namespaces = new HashSet<>();
    List<WatchEvent> unsorted = new ArrayList<>();
    ListObjectsResponse page = firstPage;
    while (true) {
      List<WatchEvent> objects =
          page.getObjectsList().stream()
              .map(each -> placeholderBody.complete(each, reporter))
              .toList();
      if (order != null) {
        unsorted.addAll(objects);
      } else if (!objects.isEmpty()) {
        printed.write(Part.SNAPSHOT, objects);
      }
      count += objects.size();
      if (selected.getNamespacesCount() > 0) {
        objects.forEach(object -> namespaces.add(object.getKey().getNamespace()));
      }
      ByteString next = page.getNextPageToken();
      if (next.isEmpty() || count >= limit.orElse(Integer.MAX_VALUE)) {
        break;
      }
      page = request(client, selected, next, count, reporter);
    }
    if (order != null && !unsorted.isEmpty()) {
      String path = order.text();
      printed.write(
          Part.SNAPSHOT,
          order.sorted(
              unsorted,
              () ->
                  reporter.report(
                      "--sort-by "
                          + path
                          + ": no object has a value at this path, so the order is the"
                          + " gateway's")));
    }
    Duration age = age(page);
    String failure =
        new StalenessNotice(
                StalenessThreshold.of(selected.getResourceType()),
                reporter,
                new UpstreamFailureLookup(client, selected.getResourceType(), stdio)::failure)
            .checkList(age);
    return new Listed(selected, count, namespaces, page, age, failure);
  }

  /** Returns the staleness, clamped to the valid range, which a gateway's value never leaves. */
  private static Duration age(ListObjectsResponse page) {
    com.google.protobuf.Duration wire = page.getStaleness();
    return Duration.ofSeconds(
        Math.clamp(wire.getSeconds(), 0, Integer.MAX_VALUE),
        Math.clamp(wire.getNanos(), 0, 999_999_999));
  }

  /**
   * Returns a page.
   *
   * @param token token of the page before; empty for the first page
   * @param count number of objects on the pages before
   */
  private ListObjectsResponse request(
      WatchClient client,
      Selection selected,
      ByteString token,
      int count,
      ReconnectReporter reporter)
      throws RequestFailedException, InterruptedException {
    ListObjectsRequest.Builder request =
        ListObjectsRequest.newBuilder()
            .setSelection(selected)
            .setProjection(projection.forOutput(output))
            .setPageSize(Math.min(PAGE_SIZE, limit.orElse(Integer.MAX_VALUE) - count))
            .setPageToken(token);
    freshness.maxStaleness().ifPresent(request::setMaxStaleness);
    return new UnaryClient(server.where(), selected, reporter)
        .callWithRetry(() -> client.listObjects(request.build(), UnaryClient.TIMEOUT));
  }

  private int reportEnd(WatchClient client, List<Listed> lists, ReconnectReporter reporter) {
    int count = lists.stream().mapToInt(Listed::count).sum();
    ListObjectsResponse last = lists.getLast().last;
    boolean hasEach = lists.stream().allMatch(list -> list.count > 0);
    if ((selection.name().isEmpty() || hasEach) && !last.getNextPageToken().isEmpty()) {
      reporter.report(
          count + " of " + last.getTotalObjects() + " objects; leave --limit out to see all");
      return ExitCodes.SUCCESS;
    }
    List<String> withoutObjects = new ArrayList<>(lists.getFirst().selected.getNamespacesList());
    lists.forEach(list -> withoutObjects.removeAll(list.namespaces));
    String reason = new NamespaceLookup(client, withoutObjects, stdio).missing();
    if (selection.name().isEmpty() ? count > 0 : hasEach) {
      if (!reason.isEmpty()) {
        reporter.report(reason);
      }
      return ExitCodes.SUCCESS;
    }
    String because = reason.isEmpty() ? "" : ": " + reason;
    if (selection.name().isEmpty()) {
      reporter.report("nothing matches" + because);
      return ExitCodes.SUCCESS;
    }
    lists.stream()
        .filter(list -> list.count == 0)
        .forEach(
            list ->
                reporter.report(
                    selection.missingText(list.selected)
                        + because
                        + twoTypes(client, list.selected)));
    return ExitCodes.FAILED;
  }

  /** Returns advice if the name of the missing object is that of a type; otherwise nothing. */
  private String twoTypes(WatchClient client, Selection selected) {
    String name = selection.name();
    try {
      boolean isType =
          client.listResourceTypes(stdio.lookupTimeout(TYPES_TIMEOUT)).getTypesList().stream()
              .anyMatch(
                  type ->
                      type.getResourceType().getResource().equals(name)
                          || type.getShortNamesList().contains(name)
                          || type.getKind().equalsIgnoreCase(name));
      return isType
          ? "; for two types: " + TypeArgument.text(selected.getResourceType()) + "," + name
          : "";
    } catch (StatusRuntimeException e) {
      return ""; // it is advice only
    }
  }
}
