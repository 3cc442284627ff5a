package io.watchgate.cli;

import io.watchgate.cli.WatchSession.FirstSnapshot;
import io.watchgate.cli.live.LiveTable;
import io.watchgate.cli.live.StalenessThreshold;
import io.watchgate.cli.output.CommandOutput;
import io.watchgate.cli.output.EventOutput;
import io.watchgate.cli.output.RowStyle;
import io.watchgate.cli.output.TableShape.Extra;
import io.watchgate.client.WatchClient;
import io.watchgate.client.WatchListener;
import io.watchgate.pem.FileErrors;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.Selection;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code watchgate watch}: prints the objects that match, then every change to them. */
@Command(
    name = "watch",
    customSynopsis = {
      "watchgate watch TYPE[/NAME] [NAME] [-n NS] [-l SELECTOR] [-o FORMAT]",
      "                [OPTION...] [-- COMMAND [ARGUMENT...]]"
    },
    description = {
      "Prints the objects that match, then every change to them, until Ctrl-C.",
      "stdout is data only. A line on stderr reports each reconnect, and what was missed. Another"
          + " reports that the state is old, because the apiserver does not confirm it.",
      "On a terminal each change begins with a sign: + added, ~ modified, - deleted."
    },
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:--until was met, or the reader of stdout closed the pipe, as head does",
      "1:the watch ended with an error, or no gateway answered at the start; stderr says why",
      "2:the command line is wrong",
      "123:COMMAND failed, or could not be started",
      "124:--timeout passed before --until was met",
      "130, 143:ended by Ctrl-C, by SIGTERM"
    },
    footer = {
      "",
      "EXPRESSION of --until, for one object, and of --until-all, for each:",
      "  created                       it exists",
      "  deleted                       it was deleted, or is absent at the start",
      "  condition=Ready               the condition's status is True",
      "  condition=Ready=False         the condition's status is False",
      "  {.status.phase}               the path has a value",
      "  {.status.phase}=Running       a value of the path is this text; !=: none is",
      "  {.status.phase}==Running      the same as =",
      "  jsonpath={.status.phase}=Running   the same, as kubectl wait has it",
      "  {.status.readyReplicas}>=3    a value of the path is such a number; > < <=",
      "",
      "TEMPLATE of -o jsonpath=: text with paths in braces, a line for each object:",
      "  {.metadata.name}              .name ['name'] [0], [-1] the last, [*] .* all",
      "  {.metadata.labels.a\\.io/b}    \\ before a dot that belongs to a name",
      "  {.spec.containers[?(@.name==\"web\")].image}    also != and the path alone",
      "  {\"\\t\"}                        text with escapes",
      "  A path alone does without braces. range, .. and slices are not supported.",
      "",
      "-o diff compares an object with its last state. At most 64 MiB of states are kept, those of"
          + " the latest changes.",
      "",
      "COMMAND is run for each event, one after the other. Its stdin is the object as JSON. Its"
          + " environment has WATCHGATE_EVENT (ADDED, MODIFIED, DELETED), WATCHGATE_NAMESPACE,"
          + " WATCHGATE_NAME, WATCHGATE_UID, WATCHGATE_RESOURCE_VERSION. If it fails, the watch"
          + " ends, and a watch from the position of --save-token repeats that event."
    })
final class WatchCommand implements Callable<Integer> {
  private final Stdio stdio;
  private final Optional<List<String>> command;

  @Mixin private final SelectionOptions selection = new SelectionOptions();
  @Mixin private final OutputOptions.OfWatch output = new OutputOptions.OfWatch();
  @Mixin private final ProjectionOptions projection = new ProjectionOptions();

  @Option(
      names = "--output-watch-events",
      arity = "0..1",
      fallbackValue = "true",
      paramLabel = "true|false",
      description =
          "Table with a column EVENT: ADDED, MODIFIED or DELETED. Default: with it if stdout is not"
              + " a terminal; on a terminal each row has a sign.")
  private @Nullable Boolean eventColumn;

  @Option(
      names = "--timestamps",
      description =
          "Table with a first column TIME: when the row was received, UTC. Default: without.")
  private boolean timestamps;

  @Option(
      names = "--live",
      description =
          "Show the objects as a table that changes in place, with the last changes below it;"
              + " needs a terminal and exactly one type. Default: a row for each change.")
  private boolean live;

  @Option(
      names = "--changes-only",
      description = "Do not print the objects that exist at the start. Default: they are printed.")
  private boolean changesOnly;

  @Mixin private final PositionOptions position = new PositionOptions();
  @Mixin private final FreshnessOptions freshness = new FreshnessOptions();
  @Mixin private final UntilOptions until = new UntilOptions();
  @Mixin private final KubeconfigOptions user = new KubeconfigOptions();
  @Mixin private final ClientOptions server;

  /**
   * Creates the command.
   *
   * @param command arguments after {@code --}; run for each event
   */
  WatchCommand(Stdio stdio, Optional<List<String>> command) {
    this.stdio = stdio;
    this.server = new ClientOptions(stdio.environment(), user);
    this.command = command.map(List::copyOf);
  }

  @Override
  public Integer call() throws Exception {
    check();
    List<Selection> types = selection.selections();
    ReconnectReporter reporter = new ReconnectReporter(stdio.err(), progress(types));
    ListAndWatchRequest.Builder request = request();
    Optional<WatchClient> client;
    try {
      position.apply(request, reporter);
      client = server.connect(reporter);
    } catch (IOException e) {
      reporter.report(FileErrors.text(e));
      return ExitCodes.FAILED;
    }
    if (client.isEmpty()) {
      return ExitCodes.FAILED;
    }
    try (WatchClient connected = client.get()) {
      if (live) {
        try (LiveDisplay display = display(connected)) {
          return watch(
              connected,
              request,
              types,
              (part, events) -> {},
              new ReconnectReporter(display.messages()),
              Optional.of(display));
        }
      }
      EventOutput printed = output(connected);
      try {
        return watch(connected, request, types, printed, reporter, Optional.empty());
      } finally {
        printed.close();
      }
    }
  }

  private int watch(
      WatchClient client,
      ListAndWatchRequest.Builder request,
      List<Selection> types,
      EventOutput printed,
      ReconnectReporter reporter,
      Optional<LiveDisplay> display)
      throws InterruptedException, ExecutionException {
    WatchSession.Outcome outcome = new WatchSession.Outcome();
    display.ifPresent(shown -> shown.start(outcome.exitCode()));
    for (Selection selected : types) {
      WatchSession session =
          session(
              client,
              selected,
              outcome,
              printed,
              types.size() == 1 ? reporter : reporter.about(selected));
      WatchListener listener = display.map(shown -> shown.before(session)).orElse(session);
      client.watch(request.setSelection(selected).build(), server.renewing(oneAtATime(listener)));
    }
    return until.awaitExitCode(outcome, reporter, UnaryClient.TIMEOUT);
  }

  /** Serializes the updates of the watches of several types, which share an output. */
  private WatchListener oneAtATime(WatchListener listener) {
    return update -> {
      synchronized (this) {
        listener.onUpdate(update);
      }
    };
  }

  private WatchSession session(
      WatchClient client,
      Selection selected,
      WatchSession.Outcome outcome,
      EventOutput printed,
      ReconnectReporter reporter) {
    return new WatchSession(
        outcome,
        printed,
        reporter,
        new WatchSession.Settings(
            server.where(),
            server.allServers().size(),
            selected,
            changesOnly ? FirstSnapshot.NOT_PRINTED : FirstSnapshot.PRINTED,
            until.condition(),
            until.conditionForAll(),
            position.saveTo(),
            !until.hasZeroTimeout()),
        new StalenessNotice(
            StalenessThreshold.of(selected.getResourceType()),
            reporter,
            new UpstreamFailureLookup(client, selected.getResourceType(), stdio)::failure),
        new NamespaceLookup(client, selected.getNamespacesList(), stdio)::missing);
  }

  private void check() {
    until.check(position);
    output.check();
    if (selection.hasSeveralTypes() && (until.either().isPresent() || position.isOfOneType())) {
      throw selection.usageError(
          "--until, --until-all, --save-token and a --from other than now are for one type");
    }
    if (live) {
      checkLive();
    }
    if (timestamps && !isTable()) {
      throw selection.usageError("--timestamps is for tables: -o table, wide or custom-columns");
    }
    if (Boolean.TRUE.equals(eventColumn) && !isTable()) {
      throw selection.usageError(
          "--output-watch-events is for -o table and wide; -o json and yaml have the type of each"
              + " event, -o diff its sign");
    }
    if (command.filter(List::isEmpty).isPresent()) {
      throw selection.usageError("-- is followed by the command to run for each event");
    }
    if (projection.isKeyOnly() && until.either().filter(UntilCondition::needsBody).isPresent()) {
      throw selection.usageError(
          "--view key sends no object for --until to look into; choose created or deleted, or"
              + " --view metadata");
    }
    if (command.isPresent() && output.isChosen()) {
      throw selection.usageError(
          "-o and -- exclude each other: COMMAND gets each object as JSON, and nothing else is"
              + " printed");
    }
  }

  private void checkLive() {
    if (!stdio.isTerminal(Stdio.Stream.OUT)) {
      throw selection.usageError("--live draws on a terminal, which stdout is not");
    }
    if (stdio.environment().getOrDefault("TERM", "").equals("dumb")) {
      throw selection.usageError(
          "--live draws on a terminal, and TERM=dumb says that this one cannot be drawn on");
    }
    if (selection.hasSeveralTypes()) {
      throw selection.usageError("--live takes one type; run it for each in a terminal of its own");
    }
    if (!isTable()) {
      throw selection.usageError("--live is for tables: -o table, wide or custom-columns");
    }
    if (timestamps || changesOnly || eventColumn != null || position.isGiven()) {
      throw selection.usageError(
          "--live shows the present state; leave --timestamps, --changes-only,"
              + " --output-watch-events and --from out");
    }
  }

  private boolean isTable() {
    return command.isEmpty() && output.isTable();
  }

  private ListAndWatchRequest.Builder request() {
    ListAndWatchRequest.Builder request =
        ListAndWatchRequest.newBuilder()
            .setProjection(
                command.isEmpty() ? projection.forOutput(output) : projection.forCommand())
            .setClientName("watchgate watch");
    freshness
        .maxStaleness()
        .ifPresent(limit -> request.getDeliveryBuilder().setMaxStaleness(limit));
    return request;
  }

  private LiveDisplay display(WatchClient client) {
    LiveTable table =
        new LiveTable(
            stdio.clock(),
            StalenessThreshold.of(selection.selections().getFirst().getResourceType()),
            output.shape(selection.extras()),
            new ColumnLookup(client, stdio)::columnsFor);
    return new LiveDisplay(
        stdio, table, output.style(stdio), selection.text() + ", gateway " + server.where());
  }

  private EventOutput output(WatchClient client) {
    if (command.isPresent()) {
      return new CommandOutput(command.get());
    }
    Set<Extra> extras = selection.extras();
    if (timestamps) {
      extras.add(Extra.TIME);
    }
    boolean isPlain = output.style(stdio) == RowStyle.PLAIN;
    if (Optional.ofNullable(eventColumn).orElse(isPlain)) {
      extras.add(Extra.EVENT);
    }
    return output.forEvents(stdio, extras, client);
  }

  /**
   * Returns no progress line if rows are printed on the same terminal, because the rows show the
   * progress.
   */
  private Optional<SnapshotProgress> progress(List<Selection> types) {
    boolean rowsAreSeen = stdio.isTerminal(Stdio.Stream.OUT) && !changesOnly && command.isEmpty();
    return stdio.isTerminal(Stdio.Stream.ERR) && !rowsAreSeen && types.size() == 1
        ? Optional.of(new SnapshotProgress(stdio.err(), stdio.clock()))
        : Optional.empty();
  }
}
