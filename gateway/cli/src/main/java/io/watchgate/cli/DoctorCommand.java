package io.watchgate.cli;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.watchgate.cli.doctor.EndpointCheck;
import io.watchgate.cli.doctor.Finding;
import io.watchgate.cli.doctor.ReplicaCheck;
import io.watchgate.cli.doctor.ServerKind;
import io.watchgate.cli.output.TextTable;
import io.watchgate.kube.ClientConfig;
import io.watchgate.kube.ConfigException;
import io.watchgate.proto.v1.Selection;
import io.watchgate.server.RightsScope;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code watchgate doctor}: checks the way to gateways, and to the apiserver behind them. */
@Command(
    name = "doctor",
    customSynopsis = "watchgate doctor [OPTION...] [TYPE...]",
    description = {
      "Checks the way to a gateway: names, connections, certificates, credentials, the state of its"
          + " types, and whether each TYPE may be watched. Each problem comes with what to do.",
      "With --check-apiserver, checks the apiserver, best before a gateway is installed: name,"
          + " connection, certificate, credentials, clock, version, the rights of the gateway's"
          + " account, those to list and watch each TYPE included, and the features that a gateway"
          + " uses. Writes nothing.",
      "All rights for all options of a gateway are checked by 'watchgate serve --check'."
    },
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:no problem; there may be warnings",
      "1:a problem, such as a type without the apiserver for longer than --max-outage; or a file of"
          + " credentials cannot be used, which stderr says",
      "2:the command line is wrong",
      "130, 143:ended by Ctrl-C, by SIGTERM"
    })
final class DoctorCommand implements Callable<Integer> {
  private static final Gson GSON =
      new GsonBuilder().disableHtmlEscaping().setPrettyPrinting().create();

  private final Stdio stdio;

  @Parameters(
      paramLabel = "TYPE",
      arity = "0..*",
      converter = TypeArgument.Converter.class,
      description =
          "Types, such as pods or deployments.apps: watched at gateways for a moment, and with"
              + " --check-apiserver those that the gateway is to serve. Default: none.")
  private List<TypeArgument> types = List.of();

  @Option(
      names = {"-n", "--namespace"},
      paramLabel = "NAMESPACE",
      split = ",",
      description = "Watch the TYPEs in these namespaces only: a,b. Default: all.")
  private List<String> namespaces = List.of();

  @Option(
      names = "--pages",
      paramLabel = "HOST:PORT",
      split = ",",
      converter = ServerAddress.Converter.class,
      description =
          "Address of --http-listen of each replica, separated by commas: checks readiness, clocks,"
              + " and that all replicas have one version and one cluster. Default: none.")
  private List<ServerAddress> pages = List.of();

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      description = "table or json. Default: table.")
  private Format format = Format.TABLE;

  @Option(
      names = "--max-outage",
      paramLabel = "DURATION",
      converter = DurationArgument.class,
      description =
          "A type with a failure is a problem if its state is older than this, else a warning. For"
              + " a type that is still loading, the time since its load began counts. A type that"
              + " is loaded and has no failure is reported only from 2m on, because the apiserver"
              + " confirms a quiet type once a minute. Default: 1m.")
  private Duration maxOutage = GatewayCheck.DEFAULT_MAX_OUTAGE;

  @Mixin private final ApiserverCheckOptions apiserver = new ApiserverCheckOptions();
  @Mixin private final KubeconfigOptions user = new KubeconfigOptions();
  @Mixin private final ClientOptions server;

  /** Values of {@code -o}. */
  enum Format {
    TABLE,
    JSON
  }

  DoctorCommand(Stdio stdio) {
    this.stdio = stdio;
    this.server =
        new ClientOptions(
            stdio.environment(), () -> apiserver.isGiven() ? new KubeconfigOptions() : user);
  }

  @Override
  public Integer call() throws InterruptedException {
    ReconnectReporter reporter = new ReconnectReporter(stdio.err());
    List<Finding> findings = new ArrayList<>();
    boolean checksApiserver = apiserver.isGiven();
    if (checksApiserver) {
      findings.addAll(apiserverFindings());
    }
    if (!checksApiserver || server.isGatewayNamed()) {
      Optional<ChannelCredentials> credentials = server.credentials(reporter);
      if (credentials.isEmpty()) {
        return ExitCodes.FAILED;
      }
      for (ServerAddress address : server.allServers()) {
        findings.addAll(findings(address, credentials.get()));
      }
    }
    findings.addAll(
        new ReplicaCheck().findings(pages.stream().map(ServerAddress::toString).toList()));
    try {
      stdio.print(format == Format.JSON ? json(findings) : table(findings));
    } catch (IOException e) {
      if (!Stdio.isBrokenPipe(e)) {
        reporter.report("cannot write to stdout: " + e.getMessage());
        return ExitCodes.FAILED;
      }
    }
    return Finding.hasProblem(findings) ? ExitCodes.FAILED : ExitCodes.SUCCESS;
  }

  private List<Finding> apiserverFindings() throws InterruptedException {
    RightsScope scope = apiserver.scope(types.stream().map(TypeArgument::reference).toList());
    ClientConfig config;
    try {
      config = ApiserverOptions.clientConfig(user.kubeconfig(), user.context().orElse(""));
    } catch (ConfigException e) {
      return List.of(ApiserverFindings.unusable(e));
    }
    return new ApiserverFindings(config, scope).all();
  }

  /** Returns the findings of the steps to one gateway, up to the first problem. */
  private List<Finding> findings(ServerAddress address, ChannelCredentials credentials) {
    List<Finding> findings =
        new ArrayList<>(
            new EndpointCheck(
                    ServerKind.GATEWAY,
                    address.toString(),
                    address.host(),
                    address.port(),
                    server.usesTls()
                        ? Optional.of(server.serverName().orElse(address.host()))
                        : Optional.empty())
                .findings());
    if (Finding.hasProblem(findings)) {
      return findings;
    }
    ManagedChannelBuilder<?> builder =
        Grpc.newChannelBuilderForAddress(address.host(), address.port(), credentials);
    server.serverName().ifPresent(builder::overrideAuthority);
    ManagedChannel channel = builder.build();
    try {
      findings.addAll(
          new GatewayCheck(address.toString(), channel, maxOutage).findings(selections()));
    } finally {
      channel.shutdownNow();
    }
    return findings;
  }

  private List<Selection> selections() {
    return types.stream()
        .map(
            type ->
                Selection.newBuilder()
                    .setResourceType(type.type())
                    .addAllNamespaces(namespaces)
                    .build())
        .toList();
  }

  private static String table(List<Finding> findings) {
    List<List<String>> rows = new ArrayList<>();
    for (Finding finding : findings) {
      rows.add(List.of(finding.level().text(), finding.target(), finding.check(), finding.text()));
      if (!finding.advice().isEmpty()) {
        rows.add(List.of("", "", "", "-> " + finding.advice()));
      }
    }
    StringBuilder text = new StringBuilder();
    new TextTable().format(rows).forEach(line -> text.append(line.stripTrailing()).append('\n'));
    return text.append(summary(findings)).append('\n').toString();
  }

  private static String summary(List<Finding> findings) {
    return "problems: "
        + count(findings, Finding.Level.PROBLEM)
        + ", warnings: "
        + count(findings, Finding.Level.WARNING)
        + ", ok: "
        + count(findings, Finding.Level.OK);
  }

  private static long count(List<Finding> findings, Finding.Level level) {
    return findings.stream().filter(finding -> finding.level() == level).count();
  }

  private static String json(List<Finding> findings) {
    JsonArray rows = new JsonArray();
    for (Finding finding : findings) {
      JsonObject row = new JsonObject();
      row.addProperty("level", finding.level().text());
      row.addProperty("target", finding.target());
      row.addProperty("check", finding.check());
      row.addProperty("text", finding.text());
      row.addProperty("advice", finding.advice());
      rows.add(row);
    }
    return GSON.toJson(rows) + "\n";
  }
}
