package io.watchgate.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.watchgate.cli.UnaryClient.RequestFailedException;
import io.watchgate.cli.live.StalenessThreshold;
import io.watchgate.cli.output.JsonListOutput;
import io.watchgate.cli.output.TerminalEscaper;
import io.watchgate.cli.output.TextTable;
import io.watchgate.client.WatchClient;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.Selection;
import io.watchgate.proto.v1.ServedType;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code watchgate types}: lists the types that can be watched. */
@Command(
    name = "types",
    customSynopsis = "watchgate types [-o FORMAT] [OPTION...]",
    description = {
      "Prints the resource types that can be watched.",
      "stdout is data only. stderr names types that the gateway cannot read now, or whose state is"
          + " old."
    },
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:they were printed; or the reader of stdout closed the pipe, as head does",
      "1:the gateway cannot be asked or refuses; stderr says why",
      "2:the command line is wrong",
      "130, 143:ended by Ctrl-C, by SIGTERM"
    })
final class TypesCommand implements Callable<Integer> {
  private static final int MAX_NAMED = 5;
  private static final int MAX_FIELDS_CHARS = 60;
  private static final String ELLIPSIS = "...";

  private final Stdio stdio;

  /** Values of {@code -o}. */
  enum Format {
    TABLE,
    WIDE,
    JSON,
    NAME
  }

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      description =
          "table; wide: with what the gateway holds, how long ago the apiserver confirmed it, the"
              + " last error and the fields to select by, cut at 60 characters; json: one array,"
              + " with all fields; name. Default: table.")
  private Format format = Format.TABLE;

  @Mixin private final KubeconfigOptions user = new KubeconfigOptions();
  @Mixin private final ClientOptions server;

  TypesCommand(Stdio stdio) {
    this.stdio = stdio;
    this.server = new ClientOptions(stdio.environment(), user);
  }

  @Override
  public Integer call() throws InterruptedException {
    ReconnectReporter reporter = new ReconnectReporter(stdio.err());
    return UnaryClient.print(server, reporter, client -> print(client, reporter));
  }

  private int print(WatchClient client, ReconnectReporter reporter)
      throws IOException, RequestFailedException, InterruptedException {
    List<ServedType> types =
        new UnaryClient(server.where(), Selection.getDefaultInstance(), reporter)
                .callWithRetry(() -> client.listResourceTypes(UnaryClient.TIMEOUT))
                .getTypesList()
                .stream()
                .sorted(
                    Comparator.comparing((ServedType type) -> type.getResourceType().getGroup())
                        .thenComparing(type -> type.getResourceType().getResource())
                        .thenComparing(type -> type.getResourceType().getVersion()))
                .toList();
    stdio.print(text(types));
    warnOfOld(types, reporter);
    return ExitCodes.SUCCESS;
  }

  private static void warnOfOld(List<ServedType> types, ReconnectReporter reporter) {
    List<String> old =
        types.stream()
            .filter(type -> !type.getError().isEmpty() || isOld(type))
            .map(type -> TypeArgument.text(type.getResourceType()))
            .distinct()
            .toList();
    if (!old.isEmpty()) {
      reporter.report(
          "not up to date: "
              + String.join(", ", old.subList(0, Math.min(MAX_NAMED, old.size())))
              + (old.size() > MAX_NAMED ? " and " + (old.size() - MAX_NAMED) + " more" : "")
              + "; 'watchgate types -o wide' says why");
    }
  }

  /** Returns whether the apiserver has not confirmed the state for a while. */
  static boolean isOld(ServedType type) {
    return type.getSynced()
        && StalenessThreshold.of(type.getResourceType())
            .isStale(Duration.ofSeconds(type.getStaleness().getSeconds()));
  }

  private String text(List<ServedType> types) {
    return switch (format) {
      case TABLE, WIDE -> table(types);
      case JSON -> json(types);
      case NAME -> {
        StringBuilder names = new StringBuilder();
        types.stream()
            .map(type -> TypeArgument.text(type.getResourceType()))
            .distinct()
            .forEach(name -> names.append(TerminalEscaper.inLine(name)).append('\n'));
        yield names.toString();
      }
    };
  }

  private String table(List<ServedType> types) {
    List<List<String>> rows = new ArrayList<>();
    List<String> header =
        new ArrayList<>(List.of("NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND"));
    if (format == Format.WIDE) {
      header.addAll(List.of("OBJECTS", "STALENESS", "ERROR", "FIELDS"));
    }
    rows.add(header);
    for (ServedType type : types) {
      List<String> row =
          new ArrayList<>(
              List.of(
                  type.getResourceType().getResource(),
                  String.join(",", type.getShortNamesList()),
                  apiVersion(type.getResourceType()),
                  Boolean.toString(type.getNamespaced()),
                  type.getKind()));
      if (format == Format.WIDE) {
        row.add(type.getSynced() ? Long.toUnsignedString(type.getObjects()) : "-");
        row.add(type.getSynced() ? type.getStaleness().getSeconds() + "s" : "-");
        row.add(type.getError());
        row.add(shortened(String.join(",", type.getSelectableFieldsList())));
      }
      row.replaceAll(TerminalEscaper::inLine);
      rows.add(row);
    }
    StringBuilder text = new StringBuilder();
    new TextTable().format(rows).forEach(line -> text.append(line.stripTrailing()).append('\n'));
    return text.toString();
  }

  /** Returns a cell that does not wrap every line; -o json has the complete text. */
  private static String shortened(String text) {
    return text.length() <= MAX_FIELDS_CHARS
        ? text
        : text.substring(0, MAX_FIELDS_CHARS - ELLIPSIS.length()) + ELLIPSIS;
  }

  private static String json(List<ServedType> types) {
    StringBuilder text = new StringBuilder("[");
    for (ServedType type : types) {
      JsonObject json = new JsonObject();
      json.addProperty("group", type.getResourceType().getGroup());
      json.addProperty("version", type.getResourceType().getVersion());
      json.addProperty("resource", type.getResourceType().getResource());
      json.addProperty("kind", type.getKind());
      json.addProperty("namespaced", type.getNamespaced());
      json.add("shortNames", array(type.getShortNamesList()));
      json.add("selectableFields", array(type.getSelectableFieldsList()));
      json.addProperty("synced", type.getSynced());
      json.addProperty("objects", type.getObjects());
      json.addProperty("resourceVersion", type.getResourceVersion());
      json.addProperty("oldestResourceVersion", type.getOldestResourceVersion());
      if (type.getSynced()) {
        json.addProperty(
            "staleness",
            JsonListOutput.seconds(
                type.getStaleness().getSeconds(), type.getStaleness().getNanos() / 1_000_000));
      }
      json.addProperty("error", type.getError());
      text.append(text.length() == 1 ? "\n" : ",\n").append(json);
    }
    return text.append("\n]\n").toString();
  }

  private static JsonArray array(List<String> texts) {
    JsonArray array = new JsonArray();
    texts.forEach(array::add);
    return array;
  }

  private static String apiVersion(ResourceType type) {
    return (type.getGroup().isEmpty() ? "" : type.getGroup() + "/") + type.getVersion();
  }
}
