package io.watchgate.cli;

import static java.util.Objects.requireNonNull;

import io.watchgate.client.WatchClient;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ObjectView;
import io.watchgate.proto.v1.Projection;
import io.watchgate.proto.v1.Selection;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code watchgate watch}: prints the objects that match, then every change to them. */
@Command(
    name = "watch",
    description = {
      "Prints the objects of a type that match, then every change to them, until Ctrl-C.",
      "stdout is data only. stderr has one line for each reconnect: what was missed, what was"
          + " resumed."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:whoever read stdout has left, as head does",
      "1:the watch cannot go on, or no gateway was there at the start; stderr says why",
      "2:the command line is wrong",
      "130, 143:ended by Ctrl-C, by SIGTERM"
    },
    sortOptions = false)
final class WatchCommand implements Callable<Integer> {
  private final OutputStream out;
  private final PrintStream err;
  private final InstantSource clock;

  @Spec private @Nullable CommandSpec spec;

  @Parameters(
      paramLabel = "TYPE",
      converter = TypeArgument.Converter.class,
      description = "pods, po, deployments.apps, apps/v1/deployments, ...")
  private @Nullable TypeArgument type;

  @Option(
      names = {"-n", "--namespace"},
      paramLabel = "NS",
      description = "Only these namespaces: a,b; may be given again. Default: all.")
  private List<String> namespaceLists = List.of();

  @Option(
      names = {"-A", "--all-namespaces"},
      description = "All namespaces, as without -n.")
  private boolean allNamespaces;

  @Option(
      names = {"-l", "--selector"},
      paramLabel = "SELECTOR",
      description = "Label selector: app=web,tier!=cache,'env in (a,b)'. Default: all.")
  private String labelSelector = "";

  @Option(
      names = "--field-selector",
      paramLabel = "SELECTOR",
      description = "Field selector: spec.nodeName=node-7. Default: all.")
  private String fieldSelector = "";

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      description =
          "table; json: a line {\"type\":...,\"object\":...} for each event; name. Default: table.")
  private EventOutput.Format format = EventOutput.Format.TABLE;

  @Option(
      names = "--output-watch-events",
      description = "Table with a column EVENT: ADDED, MODIFIED or DELETED. Default: without.")
  private boolean eventColumn;

  @Option(
      names = "--server",
      paramLabel = "HOST:PORT",
      converter = ServerAddress.Converter.class,
      description = "The gateway. Default: ${DEFAULT-VALUE}.")
  private ServerAddress server = new ServerAddress("127.0.0.1", 7443);

  @Option(
      names = "--tls",
      description = "Connect with TLS; certificates that Java trusts. Default: plaintext.")
  private boolean tls;

  @Option(
      names = "--tls-ca",
      paramLabel = "FILE",
      description = "Connect with TLS; certificates signed by one of this PEM file. Default: none.")
  private @Nullable Path tlsCa;

  WatchCommand(OutputStream out, PrintStream err, InstantSource clock) {
    this.out = out;
    this.err = err;
    this.clock = clock;
  }

  @Override
  public Integer call() throws Exception {
    ListAndWatchRequest request = request();
    Narrator narrator = new Narrator(err);
    WatchSession session = new WatchSession(output(), narrator, server);
    Optional<WatchClient> client = connect(narrator);
    if (client.isEmpty()) {
      return 1;
    }
    try (WatchClient connected = client.get()) {
      connected.watch(request, session);
      return session.exitCode().get();
    }
  }

  private ListAndWatchRequest request() {
    List<String> namespaces = namespaces();
    if (allNamespaces && !namespaces.isEmpty()) {
      throw wrong("-A and -n exclude each other");
    }
    return ListAndWatchRequest.newBuilder()
        .setSelection(
            Selection.newBuilder()
                .setResourceType(requireNonNull(type).type())
                .addAllNamespaces(namespaces)
                .setLabelSelector(labelSelector)
                .setFieldSelector(fieldSelector))
        .setProjection(
            Projection.newBuilder()
                .setView(
                    format == EventOutput.Format.JSON
                        ? ObjectView.OBJECT_VIEW_FULL
                        : ObjectView.OBJECT_VIEW_NO_MANAGED_FIELDS))
        .setClientName("watchgate watch")
        .build();
  }

  /** An empty one is refused: it must never come to mean all. */
  private List<String> namespaces() {
    List<String> namespaces =
        namespaceLists.stream()
            .flatMap(list -> Arrays.stream(list.split(",", -1)))
            .map(String::strip)
            .distinct()
            .toList();
    if (namespaces.contains("")) {
      throw wrong("-n: a namespace is empty; leave -n out to watch all namespaces");
    }
    return namespaces;
  }

  private EventOutput output() {
    if (eventColumn && format != EventOutput.Format.TABLE) {
      throw wrong("--output-watch-events is for -o table; -o json has the type on each line");
    }
    return switch (format) {
      case JSON -> new JsonOutput(out);
      case NAME -> new NameOutput(out);
      case TABLE -> {
        Set<TableOutput.Extra> extras = EnumSet.noneOf(TableOutput.Extra.class);
        if (eventColumn) {
          extras.add(TableOutput.Extra.EVENT);
        }
        if (namespaces().size() != 1) {
          extras.add(TableOutput.Extra.NAMESPACE);
        }
        yield new TableOutput(out, clock, extras);
      }
    };
  }

  private Optional<WatchClient> connect(Narrator narrator) {
    WatchClient.Builder builder = WatchClient.to(server.host(), server.port());
    try {
      if (tlsCa != null) {
        builder.tls(tlsCa);
      } else if (tls) {
        builder.tls();
      }
      return Optional.of(builder.build());
    } catch (NoSuchFileException e) {
      narrator.say("--tls-ca: there is no file " + tlsCa);
    } catch (IOException e) {
      narrator.say("--tls-ca: " + e.getMessage());
    }
    return Optional.empty();
  }

  private ParameterException wrong(String what) {
    return new ParameterException(requireNonNull(spec).commandLine(), what);
  }
}
