package io.watchgate.cli;

import static io.watchgate.cli.UsageError.requireInRange;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;
import io.watchgate.cli.top.GatewaySurvey;
import io.watchgate.cli.top.StreamSort;
import io.watchgate.cli.top.TopTables;
import io.watchgate.cli.top.TopView;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code watchgate top}: replicas and the streams that lag most, drawn again each second. */
@Command(
    name = "top",
    customSynopsis = "watchgate top [OPTION...]",
    description = {
      "Shows gateways and their streams, those that are most behind first, until q or Ctrl-C. If"
          + " stdout is not a terminal, prints them once.",
      "Keys: b, s, y, n and o sort by changes behind, seconds, bytes, bytes sent and age; + and -"
          + " change the number of rows; space pauses; ? shows the keys; q quits. They need a"
          + " terminal and stty.",
      "Asks the pages for operators at --http-listen of each gateway. They answer requests of their"
          + " own host, as behind kubectl port-forward; others need a token."
    },
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:they were printed; ended by q; or the reader of stdout closed the pipe, as head does",
      "1:with --once: no gateway answered",
      "2:the command line is wrong",
      "130, 143:ended by Ctrl-C, by SIGTERM"
    })
final class TopCommand implements Callable<Integer> {
  private static final Gson GSON =
      new GsonBuilder().disableHtmlEscaping().setPrettyPrinting().create();

  private final Stdio stdio;

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--server",
      paramLabel = "HOST:PORT",
      split = ",",
      converter = ServerAddress.Converter.class,
      description =
          "Address of --http-listen; several gateways are separated by commas, or the option is"
              + " repeated. Default: 127.0.0.1:9443.")
  private List<ServerAddress> servers = List.of(new ServerAddress("127.0.0.1", 9443));

  @Option(
      names = "--bearer-token-file",
      paramLabel = "FILE",
      description = "File with the bearer token to send; it is read each time. Default: none.")
  private @Nullable Path tokenFile;

  @Option(
      names = "--sort",
      paramLabel = "KEY",
      description =
          "behind: changes behind; bytes: bytes kept for the stream alone; seconds: age of the"
              + " first change that was not sent; sent: bytes sent; opened: the oldest first."
              + " Default: behind.")
  private StreamSort sort = StreamSort.BEHIND;

  @Option(
      names = "--type",
      paramLabel = "TYPE",
      description = "Streams of this type, such as pods or deployments.apps. Default: all.")
  private String type = "";

  @Option(
      names = "--user",
      paramLabel = "USER",
      description = "Streams of this user. Default: all.")
  private String user = "";

  @Option(
      names = "--client",
      paramLabel = "NAME",
      description = "Streams of clients with this name. Default: all.")
  private String client = "";

  @Option(
      names = "--limit",
      paramLabel = "NUMBER",
      defaultValue = "20",
      description = "Maximum number of streams, 1 to 1000. Default: ${DEFAULT-VALUE}.")
  private int limit;

  @Option(names = "--once", description = "Print once, and end. Default: no.")
  private boolean once;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      description = "table or, with --once, json. Default: table.")
  private Format format = Format.TABLE;

  TopCommand(Stdio stdio) {
    this.stdio = stdio;
  }

  enum Format {
    TABLE,
    JSON
  }

  @Override
  public Integer call() throws InterruptedException {
    int rows = requireInRange(spec, "--limit", limit, 1, 1_000);
    boolean draws = !once && stdio.isTerminal(Stdio.Stream.OUT);
    if (format == Format.JSON && draws) {
      throw UsageError.of(spec, "-o json needs --once");
    }
    List<String> addresses = servers.stream().map(ServerAddress::toString).distinct().toList();
    try (GatewaySurvey survey = new GatewaySurvey(addresses, this::token)) {
      return draws ? draw(survey, rows) : print(survey, rows);
    } catch (IOException e) {
      if (Stdio.isBrokenPipe(e)) {
        return ExitCodes.SUCCESS;
      }
      stdio.err().println("watchgate: cannot write to stdout: " + e.getMessage());
      return ExitCodes.FAILED;
    }
  }

  private Optional<String> token() {
    Path file = tokenFile;
    if (file == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(TokenCallCredentials.token(file));
    } catch (IOException e) {
      throw new UncheckedIOException(new IOException("--bearer-token-file: " + e.getMessage(), e));
    }
  }

  private JsonObject ask(GatewaySurvey survey, StreamSort order, int rows) {
    StringBuilder query = new StringBuilder();
    query
        .append("sort=")
        .append(order.name().toLowerCase(Locale.ROOT))
        .append("&limit=")
        .append(rows);
    append(query, "type", type);
    append(query, "user", user);
    append(query, "client", client);
    return survey.ask(query.toString(), order, rows);
  }

  private static void append(StringBuilder query, String name, String value) {
    if (!value.isEmpty()) {
      query.append('&').append(name).append('=');
      query.append(URLEncoder.encode(value, StandardCharsets.UTF_8));
    }
  }

  private int print(GatewaySurvey survey, int rows) throws IOException {
    JsonObject answers = ask(survey, sort, rows);
    stdio.print(
        format == Format.JSON
            ? GSON.toJson(answers) + "\n"
            : String.join("\n", TopTables.lines(answers, Integer.MAX_VALUE)) + "\n");
    boolean answered =
        answers.getAsJsonArray("replicas").asList().stream()
            .anyMatch(replica -> replica.getAsJsonObject().get("error").getAsString().isEmpty());
    return answered ? ExitCodes.SUCCESS : ExitCodes.FAILED;
  }

  private int draw(GatewaySurvey survey, int rows) throws IOException, InterruptedException {
    TopView view =
        new TopView((order, shown) -> ask(survey, order, shown), servers.size(), sort, rows);
    try (ShutdownHook _ = new ShutdownHook(view::end)) {
      view.run(stdio.out());
    }
    return ExitCodes.SUCCESS;
  }
}
