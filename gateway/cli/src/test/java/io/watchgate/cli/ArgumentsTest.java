package io.watchgate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Help.ColorScheme;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** Accepted command lines, and the errors of wrong ones. */
class ArgumentsTest {
  private static final String KUBECONFIG =
      """
      apiVersion: v1
      kind: Config
      current-context: c
      contexts: [{name: c, context: {cluster: c, user: u}}]
      clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
      users: [{name: u, user: {token: t}}]
      """;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int run(String... args) {
    return Main.run(
        out, new PrintStream(err, true, StandardCharsets.UTF_8), InstantSource.system(), args);
  }

  private String stderr() {
    return err.toString(StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          | expected a command
          wach pods | there is no command 'wach'; near: watch
          logs web | kubectl does the rest
          xyzzy | there is no command 'xyzzy'
          help wach | there is no command 'wach'; near: watch
          manifests | --image IMAGE and --type TYPE are missing
          manifests --image a:1 --type pods -n kube-system | --namespace kube-system: the gateway's role may create and delete all Leases
          manifests --image a:1 --type pods -n kube-public | --namespace kube-public
          manifests --image a:1 --type pods -n kube-node-lease | --namespace kube-node-lease
          manifests --image a:1 --type pods --type secrets --insecure | could read all Secrets; give --client-namespace
          manifests --image a@sha256:12 --type pods | with a digest: @sha256: and 64 hexadecimal
          manifests --image a:1 --type pods --cert-issuer Other/ca | is not NAME or ClusterIssuer/NAME
          manifests --image a:1 --type pods --metrics-namespace A_b | --metrics-namespace 'A_b' is not
          manifests --image a:1 --type pods --client-namespace A_b | --client-namespace 'A_b' is not
          manifests --image a:1 --type pods --insecure --metrics-auth | leave --insecure out
          manifests --image a:1 --type pods --insecure --cert-issuer ca | leave --insecure out
          manifests --image a:1 --type pods --insecure --kube-api --kube-client-ca cluster | leave --insecure out
          manifests --image a:1 --type pods --kube-client-ca cluster | is for TLS with --kube-api
          manifests --image a:1 --type pods --kube-api --kube-client-ca ca.pem | --kube-client-ca 'ca.pem' is not 'cluster'
          manifests --image a:1 --type pods --memory 100Mi | --memory 100Mi is too little
          manifests --image a:1 --type pods --no-autoscaler --max-replicas 5 | leave --no-autoscaler out
          manifests --image a:1 --type pods --max-replicas 2 | --max-replicas 2 is out of range: 3 to 1000
          manifests --image a:1 --type pods --image-pull-secret A | --image-pull-secret 'A' is not a secret's name
          manifests --image a:1 --type pods --priority-class a_b | --priority-class 'a_b' is not the name of a PriorityClass
          manifests --image a:1 --type pods --no-autoscaler --streams-per-replica 5 | leave --no-autoscaler out
          serve --bogus | there is no option '--bogus'
          watch | TYPE
          watch pods web api | unexpected argument 'api'
          watch pods web api db | unexpected arguments 'api', 'db'
          watch pods, | is not a resource type
          watch pods/web,services | is not a resource type
          watch pods,services --until created | are for one type
          watch pods,services --save-token f | are for one type
          watch pods,services --from 7 | are for one type
          list pods,services --limit 3 | --limit is for one type
          watch pods --live | --live draws on a terminal
          watch pods/ | is not a resource type
          watch pods/web/log | is not a resource type
          list pods/shop/web | -n NAMESPACE gives the namespace
          list pods shop/web | NAME is one name; -n NAMESPACE gives the namespace
          watch pods/web api | one name only
          bench --streams 0 | --streams 0 is out of range: 1 to 200000
          bench --streams 10 --connections 11 | --connections 11 is out of range: 1 to 10
          bench --selectors all | 'all' is none of same, per-node, mixed, different
          bench --stall-by sleep | 'sleep' is none of no-demand, unread, reconnect
          bench --projection key | 'key' is none of full, no-managed-fields, metadata
          bench --objects 7 | --objects 7 is out of range: 8 to 200000
          bench --size 300000 | --size 300000 is out of range: 1 to 262144
          bench --receive-kib 63 | --receive-kib 63 is out of range: 64 to 65536
          bench --receive-kib 65537 | --receive-kib 65537 is out of range: 64 to 65536
          bench --rate -1 | --rate -1.0 is out of range: 0 to 100000
          bench --rate NaN | --rate NaN is out of range
          bench --bookmarks 6m | --bookmarks is 1s to 5m
          bench --bookmarks 100ms | --bookmarks is 1s to 5m
          bench --warm-up-rate 0 | --warm-up-rate must be above 0
          bench --warm-up-rate 5 --rate 0 | --warm-up-rate must be above 0
          bench --window 0 | --window 0 is out of range: 1 to 4096
          bench --stall 100 | --stall 100.0 is out of range: 0 to below 100
          bench --nodes 5 | --nodes and --busy-nodes need --selectors per-node or mixed
          bench --selectors mixed --nodes 5 --busy-nodes 6 | --busy-nodes 6 is out of range: 1 to 5
          bench --duration 25h | --duration, --warm-up and --steady-within are at most 24h
          bench --duration 0 | '0' is not a duration above 0
          bench --apiserver 127.0.0.1:80 | --apiserver 127.0.0.1:80: expected http://HOST:PORT; for https use --kubeconfig
          check --apiserver localhost:80 | --apiserver localhost:80: expected http://HOST:PORT; for https use --kubeconfig
          bench --apiserver https://a:1 | for https use --kubeconfig
          bench --apiserver http://a:1 --context b | exclude each other
          baseline fast | 'fast' is none of bare, naive, floor
          baseline bare --batch 0 | --batch 0 is out of range: 1 to 1024
          baseline bare --ready-threshold 0 | --ready-threshold 0 is out of range: 1 to 1048576
          baseline bare --listen 0.0.0.0:1 | is not loopback; a baseline is for this machine alone
          compare fastest | 'fastest' is none of paced, unpaced
          compare paced --pairs 0 | --pairs 0 is out of range: 1 to 1000
          bench --joining 101 | --joining 101 is out of range: 0 to 100
          bench --returning 101 | --returning 101 is out of range: 0 to 100
          bench --returning 1 --rate 0 | --returning needs a --rate above 0
          bench --returning 1 --stall 5 | --returning and --stall exclude each other
          bench --direct --joining 1 | --direct excludes --joining and --returning
          bench --direct --rate 0 | --direct needs a --rate above 0
          bench --direct --stall 5 | --direct and --stall exclude each other
          watch a/b/c/d | is not a resource type
          watch apps//deployments | is not a resource type
          watch pods --colour=no | there is no option '--colour'; near: --color
          watch pods -o xml | 'xml' is none of table, wide, json, yaml, name, diff, jsonpath=TEMPLATE
          watch pods -o jsonpath | is none of
          watch pods -o jsonpath= | column 1: expected a path in braces
          watch pods -o jsonpath={.a..b} | column 5: '..'
          watch pods --view spec | 'spec' is none of full, key, metadata, no-managed-fields
          watch pods --view metadata | --view metadata: the columns of a table need the whole object
          list pods -o wide --include-pointer /spec | --include-pointer: the columns of a table need the whole object; choose -o json, yaml, name or jsonpath=TEMPLATE
          list pods -o name --view key | --view key sends no object to print
          watch pods -o json --view key | --view key sends no object to print
          watch pods -o json --view full --include-pointer /spec | exclude each other
          watch pods --view key --until condition=Ready -- true | no object for --until to look into
          watch pods --color sometimes | 'sometimes' is none of auto, always, never
          watch pods --from yesterday | 'yesterday' is neither now, nor a resourceVersion above 0, nor @FILE
          watch pods --from 0 | is neither now
          watch pods --from @ | is followed by the name of a file
          watch pods --until ready | column 1: expected created, deleted, condition=TYPE
          watch pods --until condition= | column 11: expected the condition's type
          watch pods --until {.status.phase | column 15: expected '}'
          watch pods --until {.a}=>2 | column 5: there is no operator =>; >= may be meant
          watch pods -o jsonpath={.items[*].metadata.name} | not for a List; leave .items[*] out
          list pods -o jsonpath={.items[0].metadata.name} | not for a List; leave .items[*] out
          watch pods --until {.a}>x | column 6: expected a number
          watch pods --timeout 5m | --timeout is how long --until waits
          watch pods --until created --timeout 5.5.5 | '5.5.5' is not a duration of 0 or more
          watch pods --until created --timeout -1s | is not a duration of 0 or more
          list pods --max-staleness abc | 'abc' is not a duration of 0 or more, such as 0,
          watch pods --until created --timeout 5d | is not a duration of 0 or more
          watch pods -- | -- is followed by the command
          watch pods -o json -- cat | -o and -- exclude each other
          watch pods --output-watch-events -- cat | --output-watch-events is for -o table
          watch pods -n a, | a namespace is empty
          watch pods -n= | a namespace is empty
          watch pods -n , | a namespace is empty
          watch pods -n a,,b | a namespace is empty
          watch pods -A -n a | exclude each other
          watch pods -o json --output-watch-events | --output-watch-events is for -o table
          watch pods --server 127.0.0.1 | is not HOST:PORT
          watch pods --server http://127.0.0.1:7443 | is a URL
          watch pods --server localhost:http | the port 'http'
          watch pods --server localhost:0 | the port '0'
          watch pods --server localhost:70000 | the port '70000'
          watch pods --server ::1:7443 | in brackets
          bench --apiserver http://a:1 --server a:1 --server b:1 | --server takes one address here
          bench --apiserver http://a:1 --server a:1,b:1 | --server takes one address here
          watch pods --server a:1,b | --server: 'b' is not HOST:PORT
          watch pods --server :7443 | is not HOST:PORT
          list | TYPE[/NAME] is missing
          list pods -o diff | diff shows changes
          list pods -o xml | 'xml' is none of table, wide, json, yaml, name, jsonpath=TEMPLATE
          list pods --limit 0 | --limit 0 is below 1
          list pods --limit few | --limit: 'few' is not a whole number
          list pods --limit 99999999999 | --limit: '99999999999' is out of range
          list pods --tls-ca a\0b | --tls-ca: the value is not a valid FILE
          list pods --changes-only | there is no option '--changes-only'; 'watchgate watch' has it
          list -n shop --until created | there is no option '--until'; 'watchgate watch' has it
          get pods --timeout=5s | there is no option '--timeout'; 'watchgate watch' has it
          get pods -w | there is no option '-w'; 'watchgate watch pods' watches
          list --watch pods | there is no option '--watch'; 'watchgate watch TYPE' watches
          watch pods --limit 3 | there is no option '--limit'; 'watchgate list' has it
          watch pods --sort-by=.a | there is no option '--sort-by'; 'watchgate list' has it
          get pods --limt 3 | there is no option '--limt'; near: --limit
          get pods --limt 3 | See 'watchgate get --help'
          types pods | unexpected argument 'pods'
          top --sort name | 'name' is none of behind, bytes, seconds, sent, opened
          top -o yaml | 'yaml' is none of table, json
          top --limit 0 | --limit 0 is out of range: 1 to 1000
          top --server localhost | is not HOST:PORT
          types -o yaml | 'yaml' is none of table, wide, json, name
          completion | SHELL is missing; it is one of bash, zsh, fish
          completion tcsh | SHELL: 'tcsh' is none of bash, zsh, fish
          serve pods | unexpected argument 'pods'
          serve --listen 7443 | --listen 7443: expected HOST:PORT
          serve --listen 127.0.0.1: | expected HOST:PORT
          serve --listen 127.0.0.1:5 --http-listen localhost:5 | --http-listen localhost:5 and --listen 127.0.0.1:5 name the same address
          serve --listen 127.0.0.1:9443 | --http-listen 127.0.0.1:9443 and --listen 127.0.0.1:9443 name the same address; give each a port of its own
          serve --kube-listen 127.0.0.1:9443 | --kube-listen 127.0.0.1:9443 and --http-listen
          serve --http-listen 0.0.0.0:7443 | --http-listen 0.0.0.0:7443 and --listen 127.0.0.1:7443
          demo --sandbox-listen 127.0.0.1:7443 | --sandbox-listen 127.0.0.1:7443 and --listen
          serve --listen 127.0.0.1:70000 | expected HOST:PORT
          serve --http-listen none | --http-listen none: expected HOST:PORT
          serve --listen 0.0.0.0:7443 | is not loopback
          serve --sandbox --sandbox-listen 0.0.0.0:8080 | --sandbox-listen 0.0.0.0:8080 is not loopback
          demo --sandbox-listen 0.0.0.0:8080 | --sandbox-listen 0.0.0.0:8080 is not loopback
          demo --tls-cert pom.xml --tls-key pom.xml | leave --tls-cert out
          serve --balance watchgate | 'watchgate' is not NAMESPACE/NAME
          serve --balance ns/Gate | 'ns/Gate' is not NAMESPACE/NAME
          serve --tls-cert cert.pem | belong together
          serve --tls-key key.pem | belong together
          watch pods --tls-client-cert a.pem | belong together
          watch pods --tls-client-cert a.pem --tls-client-key a.key | give --tls or --tls-ca too
          check --tls --tls-client-key a.key | belong together
          list pods --tls-server-name gateway | give --tls or --tls-ca too
          check --tls-server-name gateway | give --tls or --tls-ca too
          watch pods --tls --tls-server-name http://gateway | give it without scheme and port
          serve --tls-client-ca ca.pem | give --tls-cert and --tls-key too
          serve --tls-1.2 | give --tls-cert and --tls-key too
          serve --token-audience a | --token-audience needs --token-review
          serve --token-review --token-audience= | --token-audience needs a name
          serve --certificate-user dn | --certificate-user 'dn' is neither cn nor uri
          serve --kube-relay-writes | --kube-relay-writes needs --kube-listen
          serve --kube-client-ca cluster | --kube-client-ca needs --kube-listen
          serve --allowed-origin https://a.example | --allowed-origin needs --kube-listen
          serve --kube-listen 127.0.0.1:0 --allowed-origin * | --allowed-origin *: name each origin
          serve --kube-listen 127.0.0.1:0 --allowed-origin https://a.example/ | is a scheme, a host and perhaps a port
          serve --kube-listen 127.0.0.1:0 --allowed-origin a.example | is a scheme, a host and perhaps a port
          serve --kube-listen 127.0.0.1:0 --allowed-origin null | is a scheme, a host and perhaps a port
          serve --kube-listen 127.0.0.1:0 --max-browser-streams 0 | --max-browser-streams
          serve --kube-listen 127.0.0.1:0 --kube-max-relays 0 | --kube-max-relays
          serve --kube-listen 127.0.0.1:0 --kube-max-relays-per-client 100001 | --kube-max-relays-per-client
          serve --kube-listen 127.0.0.1:0 --drop-managed-fields | --drop-managed-fields is not for --kube-listen
          serve --kube-listen 6443 | --kube-listen 6443: expected HOST:PORT
          serve --kube-listen 0.0.0.0:6443 | --kube-listen 0.0.0.0:6443 is not loopback
          serve --kube-listen 127.0.0.1:0 --token-file t | --kube-listen needs --token-review
          serve --kube-listen 127.0.0.1:0 --token-review --authorization none | --kube-listen needs --authorization kubernetes
          serve --kube-listen 127.0.0.1:0 --token-review --kube-client-ca cluster | give --tls-cert and --tls-key too
          serve --kube-client-ca cluster --certificate-user uri | --kube-client-ca needs --certificate-user cn
          serve --authorization rbac | --authorization 'rbac' is neither kubernetes nor none
          serve --authorization kubernetes | needs authenticated callers: --token-review, --token-file
          serve --metrics-auth | --metrics-auth needs --token-review or --token-file
          serve --token-file t --authorization none --metrics-auth | --metrics-auth needs --authorization kubernetes
          serve --sandbox --token-review | no TokenReview and no SubjectAccessReview: leave --token-review out, and set --authorization none
          serve --sandbox --token-file t | has no SubjectAccessReview: set --authorization none
          serve --anonymous --metrics-auth | --metrics-auth needs --token-review or --token-file
          serve --recheck-every 0 | --recheck-every 0 is out of range: 1 to 86400
          serve --recheck-every 86401 | --recheck-every 86401 is out of range: 1 to 86400
          serve --recheck-every 5m | '5m' is not a whole number
          serve --recheck-grace -1 | --recheck-grace -1 is out of range: 0 to 86400
          serve --recheck-grace 86401 | --recheck-grace 86401 is out of range: 0 to 86400
          serve --max-streams-per-user 0 | --max-streams-per-user 0 is out of range: 1 to 10000000
          serve --max-opens-per-user 1000001 | is out of range: 1 to 1000000
          serve --max-selections-per-user 0 | is out of range: 1 to 1000000
          serve --unread-mib-per-user 8193 | --unread-mib-per-user 8193 is out of range: 1 to 8192
          serve --type a/b/c/d | is not a resource type
          serve --type apps//deployments | is not a resource type
          serve --history-age 0 | --history-age 0 is out of range: 1 to 1440
          serve --history-mib 8193 | --history-mib 8193 is out of range: 1 to 8192
          serve --unused-after 86401 | --unused-after 86401 is out of range: 0 to 86400
          serve --unused-after 5m | '5m' is not a whole number
          serve --probe-interval 0 | --probe-interval 0 is out of range: 1 to 60
          serve --probe-interval 61 | --probe-interval 61 is out of range: 1 to 60
          serve --proof-objects 100001 | --proof-objects 100001 is out of range: 0 to 100000
          serve --max-streams 0 | --max-streams 0 is out of range: 1 to 10000000
          serve --max-streams-per-client 10000001 | is out of range: 1 to 10000000
          serve --max-streams many | --max-streams: 'many' is not a whole number
          serve --max-stream 5 | near: --max-streams, --max-streams-per-user, --max-streams-per-client
          bench --rate many | --rate: 'many' is not a number
          list pods --tls=yes | --tls: 'yes' is neither true nor false
          list pods --limit 1 --limit 2 | --limit is given twice
          list pods -o | -o is without its FORMAT
          """)
  void commandLine_wrong_isExplainedWithExitCode2(@Nullable String line, String explanation) {
    int code = line == null ? run() : run(line.split(" "));

    assertThat(code).isEqualTo(2);
    assertThat(stderr()).contains(explanation, "--help");
    assertThat(out.size()).as("nothing on stdout").isZero();
  }

  @Test
  void manifestsInsecure_warnsWhoCanRead() {
    assertThat(run("manifests", "--image", "a:1", "--type", "pods", "--insecure")).isZero();
    assertThat(stderr())
        .contains(
            "--insecure: every address that reaches the ports can read all types;"
                + " --client-namespace NAMESPACE admits");
    err.reset();

    String secrets = "manifests --image a:1 --type secrets --insecure --client-namespace a";
    assertThat(run(secrets.split(" "))).isZero();
    assertThat(stderr()).contains("--insecure: every pod of a can read all types");
  }

  @ParameterizedTest
  @CsvSource({
    "pods, '', '', pods",
    "v2alpha1/things, '', v2alpha1, things",
    "deployments.apps, apps, '', deployments",
    "deployments.v1.apps, apps, v1, deployments",
    "widgets.v1beta1.example.com, example.com, v1beta1, widgets",
    "widgets.shop.example.com, shop.example.com, '', widgets",
    "widgets.v1x.example.com, v1x.example.com, '', widgets",
    "v1/pods, '', v1, pods",
    "apps/v1/deployments, apps, v1, deployments"
  })
  void typeArgument_kubectlOrPathSyntax_isParsed(
      String text, String group, String version, String resource) {
    var type = new TypeArgument.Converter().convert(text).type();

    assertThat(type.getGroup()).isEqualTo(group);
    assertThat(type.getVersion()).isEqualTo(version);
    assertThat(type.getResource()).isEqualTo(resource);
  }

  @ParameterizedTest
  @CsvSource({
    "pods/web, '', '', pods, web",
    "deployments.apps/web, apps, '', deployments, web",
    "v1/pods/web, '', v1, pods, web",
    "apps/v1/deployments/web, apps, v1, deployments, web",
    "version/web, '', '', version, web"
  })
  void targetArgument_nameAfterSlash_isParsed(
      String text, String group, String version, String resource, String name) {
    TargetArgument target = new TargetArgument.Converter().convert(text);

    assertThat(target.types().getFirst().getGroup()).isEqualTo(group);
    assertThat(target.types().getFirst().getVersion()).isEqualTo(version);
    assertThat(target.types().getFirst().getResource()).isEqualTo(resource);
    assertThat(target.name()).isEqualTo(name);
  }

  @Test
  void targetArgument_severalTypes_eachOnce() {
    assertThat(new TargetArgument.Converter().convert("pods,deployments.apps,pods").types())
        .extracting(TypeArgument::text)
        .containsExactly("pods", "deployments.apps");
  }

  @ParameterizedTest
  @CsvSource({"500ms, 500ms", "90s, 1m30s", "1h30m, 1h30m", "5m, 5m"})
  void duration_isParsedAndFormatted(String text, String written) {
    assertThat(DurationArgument.text(new DurationArgument().convert(text))).isEqualTo(written);
  }

  @ParameterizedTest
  @CsvSource({"127.0.0.1:7443, 127.0.0.1, 7443", "[::1]:7443, ::1, 7443", "gate:1, gate, 1"})
  void address_isParsedAndFormatted(String text, String host, int port) {
    ServerAddress address = new ServerAddress.Converter().convert(text);

    assertThat(address).isEqualTo(new ServerAddress(host, port)).hasToString(text);
  }

  @Test
  void helpAndVersion_goToStdout() {
    assertThat(run("--help")).isZero();
    assertThat(run("watch", "--help")).isZero();
    assertThat(run("--version")).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("Exit codes:", "--field-selector", "127.0.0.1:7443.", "watchgate (");
    assertThat(stderr()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"serve", "watch", "list"})
  void help_namesDefaultsAndExitCodes(String command) {
    assertThat(run(command, "--help")).isZero();
    String help = out.toString(StandardCharsets.UTF_8);
    String options = help.substring(help.indexOf("  -"), help.indexOf("\nExit codes:"));

    assertThat(options.split("\n+(\\w[\\w ]*:\n)?(?= {2,6}-)"))
        .hasSizeGreaterThan(7)
        .filteredOn(option -> !option.matches("(?s) *-[hV], .*"))
        .allSatisfy(
            option ->
                assertThat(option.replaceAll("\\s+", " "))
                    .containsAnyOf("Default: ", "All namespaces, as without -n."));
  }

  @Test
  void help_everyCommand_namesExitCodes() {
    for (String command : COMMANDS) {
      assertThat(help(command, "--help"))
          .as(command)
          .contains("\nExit codes:\n", "\n  0 ", "\n  1 ", "\n  2 ");
    }
    assertThat(help("watch", "--help")).contains("\n  123 ", "\n  124 ");
    assertThat(help("--help")).contains("\n  123, 124 ", "\n  130, 143 ", "\n  3 ");
  }

  @Test
  void help_namesContextFileAndExclusions() {
    assertThat(help("context", "--help").replaceAll("\\s+", " "))
        .contains("watchgate/contexts.json in XDG_CONFIG_HOME, else in ~/.config.");
    assertThat(help("list", "--help").replaceAll("\\s+", " "))
        .contains("not with --sort-by", "Not with --limit");
  }

  @Test
  void serve_portTaken_errorNamesAddress(@TempDir Path directory) throws Exception {
    Path config = Files.writeString(directory.resolve("config"), KUBECONFIG);
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String address = "127.0.0.1:" + taken.getLocalPort();

      assertThat(run("serve", "--kubeconfig", config.toString(), "--http-listen", address))
          .isEqualTo(1);
      assertThat(stderr()).contains("cannot listen on " + address, "--http-listen");
    }
  }

  @Test
  void serve_kubePortTaken_errorNamesAddress() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String address = "127.0.0.1:" + taken.getLocalPort();
      String free = "127.0.0.1:0";

      assertThat(
              run(
                  "serve",
                  "--sandbox",
                  "--listen",
                  free,
                  "--http-listen",
                  free,
                  "--sandbox-listen",
                  free,
                  "--kube-listen",
                  address))
          .isEqualTo(1);
      assertThat(stderr()).contains("cannot listen on " + address, "--kube-listen");
    }
  }

  @ParameterizedTest
  @CsvSource({"sandbox,--listen", "demo,--sandbox-listen", "serve --sandbox,--sandbox-listen"})
  void sandbox_portTaken_errorNamesOption(String command, String option) throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String address = "127.0.0.1:" + taken.getLocalPort();

      assertThat(run((command + " " + option + " " + address).split(" "))).isEqualTo(1);
      assertThat(stderr())
          .contains("cannot listen on " + address, "; name another address with " + option);
    }
  }

  @Test
  void serve_missingKubeconfig_errorNamesFile(@TempDir Path directory) {
    String file = directory.resolve("none").toString();

    assertThat(run("serve", "--kubeconfig", file)).isEqualTo(1);
    assertThat(stderr()).startsWith("watchgate serve: ").contains(file);
  }

  @Test
  void serve_unusableAuditLogOrTokenFile_startFails(@TempDir Path directory) throws Exception {
    Path config = Files.writeString(directory.resolve("config"), KUBECONFIG);
    Path tokens = Files.writeString(directory.resolve("tokens"), "t0ken,user\n");
    String[] serve = {
      "serve",
      "--kubeconfig",
      config.toString(),
      "--listen",
      "127.0.0.1:0",
      "--http-listen",
      "127.0.0.1:0"
    };

    assertThat(run(with(serve, "--audit-log", directory.resolve("no/audit").toString())))
        .isEqualTo(1);
    assertThat(stderr()).contains("--audit-log", "no/audit", "cannot be written");
    assertThat(run(with(serve, "--token-file", tokens.toString()))).isEqualTo(1);
    assertThat(run(with(serve, "--token-file", directory.resolve("none").toString()))).isEqualTo(1);
    assertThat(stderr())
        .contains("tokens, line 1 ", "there is no file")
        .doesNotContain("t0ken", "\tat ");
  }

  private static String[] with(String[] command, String... options) {
    return Stream.concat(Arrays.stream(command), Arrays.stream(options)).toArray(String[]::new);
  }

  @Test
  void watch_unreadableCertificate_errorNamesFile(@TempDir Path directory) throws Exception {
    Path text = Files.writeString(directory.resolve("ca.pem"), "no certificate");

    assertThat(run("watch", "pods", "--tls-ca", text.toString())).isEqualTo(1);
    assertThat(run("watch", "pods", "--tls-ca", directory.resolve("none.pem").toString()))
        .isEqualTo(1);
    assertThat(stderr())
        .contains("ca.pem holds no PEM certificate", "none.pem: there is no such file");
  }

  @Test
  void watch_connectionRefused_endsWithExitCode1() {
    assertThat(run("watch", "pods", "--server", "127.0.0.1:1")).isEqualTo(1);
    assertThat(stderr())
        .contains(
            "cannot watch at 127.0.0.1:1",
            "refused",
            "so the watch ends",
            "watchgate serve",
            "--server");
    assertThat(out.size()).isZero();
  }

  private static final List<String> COMMANDS =
      List.of(
          "demo",
          "serve",
          "sandbox",
          "watch",
          "list",
          "types",
          "top",
          "doctor",
          "context",
          "try",
          "example",
          "bench",
          "compare",
          "check",
          "conform",
          "manifests",
          "completion");

  private String help(String... line) {
    out.reset();
    assertThat(run(line)).isZero();
    return out.toString(StandardCharsets.UTF_8);
  }

  @Test
  void help_subcommandAndOption_areEqual() {
    for (String command : COMMANDS) {
      assertThat(help("help", command))
          .startsWith("Usage: watchgate " + command)
          .isEqualTo(help(command, "--help"));
    }
    assertThat(help("help", "baseline")).startsWith("Usage: watchgate baseline");
    assertThat(help("help")).isEqualTo(help("--help"));
    assertThat(help("help", "help")).contains("Usage: watchgate help [-h] [COMMAND]");
    assertThat(stderr()).isEmpty();
  }

  @Test
  void help_alias_namesTheTypedCommand() {
    assertThat(help("get", "--help"))
        .startsWith("Usage: watchgate get TYPE[/NAME] [NAME]")
        .contains("\n              [OPTION...]\n")
        .isEqualTo(help("help", "get"));
  }

  @Test
  void help_listsEveryCommand() {
    String help = help("--help");
    out.reset();
    assertThat(run()).isEqualTo(2);

    for (String command : COMMANDS) {
      assertThat(help).contains("\n  " + command);
      assertThat(stderr()).contains("\n  " + command);
    }
    assertThat(help).contains("\n  help ");
    assertThat(help).as("it is hidden").doesNotContain("\n  baseline");
    assertThat(out.size()).isZero();
  }

  @Test
  void help_fitsEightyColumns_alignedLinesUnbroken() {
    for (String command : COMMANDS) {
      CommandSpec spec = tree(command);
      assertThat(help(command, "--help").lines())
          .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
      for (String[] lines :
          List.of(spec.usageMessage().footer(), spec.usageMessage().description())) {
        assertThat(lines)
            .filteredOn(line -> line.startsWith(" "))
            .allSatisfy(line -> assertThat(line).as(command).hasSizeLessThan(80));
      }
    }
  }

  /** A word that is broken after a dot, a slash or a hyphen cannot be copied. */
  @Test
  void help_isBrokenAtSpacesOnly() {
    for (String command : COMMANDS) {
      UsageMessageSpec usage = tree(command).usageMessage();
      Stream<String> texts =
          Stream.of(
                  Arrays.stream(usage.description()),
                  Arrays.stream(usage.footer()),
                  usage.exitCodeList().values().stream(),
                  tree(command).args().stream().flatMap(arg -> Arrays.stream(arg.description())))
              .flatMap(each -> each)
              .map(text -> text.replaceAll("%n|\\$\\{DEFAULT-VALUE\\}.*", " ").replace("%%", "%"));
      Set<String> words = new HashSet<>(List.of(help(command, "--help").split("\\s+")));

      assertThat(texts.flatMap(text -> Arrays.stream(text.strip().split("\\s+"))))
          .as(command)
          .filteredOn(word -> !word.isEmpty() && !words.contains(word))
          .isEmpty();
    }
  }

  @Test
  void help_onTerminal_isBoldWithoutColors() {
    CommandLine watch = tree("watch").commandLine();
    String help =
        watch.getUsageMessage(
            new ColorScheme.Builder(watch.getColorScheme()).ansi(Ansi.ON).build());

    assertThat(help).contains("\033[1m--until").doesNotContain("\033[3");
  }

  private CommandSpec tree(String command) {
    return Objects.requireNonNull(CommandSpecs.root().subcommands().get(command)).getCommandSpec();
  }

  @Test
  void wrongOption_errorHasReasonAndPointerToHelp() {
    for (String command : COMMANDS) {
      err.reset();
      assertThat(run(command, "--bogus")).as(command).isEqualTo(2);
      assertThat(stderr().lines().count()).as(stderr()).isLessThanOrEqualTo(3);
      assertThat(stderr()).endsWith("See 'watchgate " + command + " --help'\n");
    }
  }

  @Test
  void helpOfList_doesNotOfferRefusedFormats() {
    assertThat(help("list", "--help")).doesNotContain("diff");
    assertThat(help("list", "--help").replaceAll("\\s+", " "))
        .contains("jsonpath=TEMPLATE: see 'watchgate watch --help'")
        .doesNotContain("see below");
    assertThat(help("watch", "--help")).contains("diff: the fields that");
  }
}
