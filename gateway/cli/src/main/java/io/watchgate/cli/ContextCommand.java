package io.watchgate.cli;

import io.watchgate.cli.ContextFile.Contexts;
import io.watchgate.cli.output.TerminalEscaper;
import io.watchgate.cli.output.TextTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code watchgate context}: names for gateways and the credentials for them. */
@Command(
    name = "context",
    customSynopsis = {
      "watchgate context list",
      "       watchgate context add NAME --server HOST:PORT [OPTION...]",
      "       watchgate context use | remove NAME",
      "       watchgate context show [NAME]"
    },
    description = {
      "Keeps Watchgate contexts, names for gateways, so that 'watchgate watch pods' needs no"
          + " options. add keeps the options under a name, or replaces it; the first one is used at"
          + " once. use chooses the context of later commands, show prints it as JSON, remove"
          + " forgets it.",
      "A Watchgate context has paths of files and no secret. It is not a context of a kubeconfig,"
          + " to which --context and --kube-context belong. Commands use it if neither --server nor"
          + " WATCHGATE_SERVER names a gateway; --gateway-context NAME takes one in any case. The"
          + " file is WATCHGATE_CONFIG, else watchgate/contexts.json in XDG_CONFIG_HOME, else in"
          + " ~/.config."
    },
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:the file cannot be read or written, or there is no such Watchgate context, or add names a"
          + " file that does not exist; stderr says why",
      "2:the command line is wrong"
    })
final class ContextCommand implements Callable<Integer> {
  /** First argument. */
  enum Action {
    LIST,
    ADD,
    USE,
    SHOW,
    REMOVE
  }

  private final Stdio stdio;

  @Spec private @Nullable CommandSpec spec;

  @Parameters(index = "0", paramLabel = "ACTION", description = "list, add, use, show or remove.")
  private Action action = Action.LIST;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "NAME",
      description =
          "Name of the Watchgate context, without blanks; list takes none, and show without it"
              + " prints the current one.")
  private String name = "";

  @Mixin private final KubeconfigOptions user = new KubeconfigOptions();
  @Mixin private final ClientOptions server;

  ContextCommand(Stdio stdio) {
    this.stdio = stdio;
    this.server = new ClientOptions(stdio.environment(), user);
  }

  @Override
  public Integer call() {
    if (action == Action.LIST && !name.isEmpty()) {
      throw UsageError.of(spec, "list takes no NAME");
    }
    if (action != Action.LIST && action != Action.SHOW && name.isEmpty()) {
      throw UsageError.of(spec, "NAME of the context is missing");
    }
    if (action == Action.ADD && name.chars().anyMatch(Character::isWhitespace)) {
      throw UsageError.of(spec, "'" + name + "': the name of a context has no blanks");
    }
    ContextFile file = ContextFile.of(stdio.environment());
    ReconnectReporter reporter = new ReconnectReporter(stdio.err());
    try {
      return call(file, file.read(), reporter);
    } catch (IOException | TypeConversionException e) {
      reporter.report(String.valueOf(e.getMessage()));
      return ExitCodes.FAILED;
    }
  }

  private int call(ContextFile file, Contexts known, ReconnectReporter reporter)
      throws IOException {
    NavigableMap<String, ConnectionSettings> byName = new TreeMap<>(known.byName());
    if (action == Action.SHOW && name.isEmpty()) {
      if (known.current().isEmpty()) {
        reporter.report("no Watchgate context is chosen; 'watchgate context use NAME' chooses one");
        return ExitCodes.FAILED;
      }
      name = known.current().get();
    }
    if (action != Action.LIST && action != Action.ADD && !byName.containsKey(name)) {
      reporter.report(
          "there is no Watchgate context '"
              + name
              + "' in "
              + file.path()
              + (byName.isEmpty() ? "" : "; known are " + String.join(", ", byName.keySet())));
      return ExitCodes.FAILED;
    }
    Optional<String> current = known.current();
    switch (action) {
      case LIST -> stdio.print(table(known));
      case SHOW -> stdio.print(byName.getOrDefault(name, ConnectionSettings.NONE).json() + "\n");
      case ADD -> {
        ConnectionSettings named = server.named();
        Optional<String> missing = named.missingFile();
        if (missing.isPresent()) {
          reporter.report(missing.get() + "; the context was not written");
          return ExitCodes.FAILED;
        }
        byName.put(name, named);
        String used = current.orElse(name);
        file.write(new Contexts(Optional.of(used), byName));
        reporter.report(
            "context '%s' was written to %s, and ".formatted(name, file.path())
                + (used.equals(name)
                    ? "commands use it now; 'watchgate types' tries it"
                    : "commands still use '%s'; 'watchgate context use %s' changes that"
                        .formatted(used, name)));
      }
      case USE -> {
        file.write(new Contexts(Optional.of(name), byName));
        reporter.report("commands use context '" + name + "' now");
      }
      case REMOVE -> {
        byName.remove(name);
        Optional<String> left = current.filter(byName::containsKey);
        file.write(new Contexts(left, byName));
        reporter.report("context '" + name + "' was removed, and " + afterRemoval(left, byName));
      }
    }
    return ExitCodes.SUCCESS;
  }

  private static String afterRemoval(
      Optional<String> current, NavigableMap<String, ConnectionSettings> byName) {
    return current
        .map("commands still use '%s'"::formatted)
        .orElseGet(
            () ->
                "commands use "
                    + ClientOptions.DEFAULT
                    + " now"
                    + (byName.isEmpty()
                        ? ""
                        : "; 'watchgate context use NAME' chooses one of "
                            + String.join(", ", byName.keySet())));
  }

  private static String table(Contexts contexts) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("CURRENT", "NAME", "SERVER"));
    contexts
        .byName()
        .forEach(
            (name, connection) ->
                rows.add(
                    List.of(
                        contexts.current().filter(name::equals).isPresent() ? "*" : "",
                        TerminalEscaper.inLine(name),
                        connection.servers().stream()
                            .map(ServerAddress::toString)
                            .collect(Collectors.joining(",")))));
    return new TextTable()
        .format(rows).stream().map(line -> line + "\n").collect(Collectors.joining());
  }
}
