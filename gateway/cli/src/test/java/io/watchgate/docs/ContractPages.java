package io.watchgate.docs;

import static io.watchgate.docs.ReferencePage.cell;

import io.watchgate.docs.ProtoFile.Declaration;
import io.watchgate.docs.ProtoFile.Kind;
import io.watchgate.docs.ProtoFile.Member;
import io.watchgate.fanout.ClientEnd;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Pages about {@code watch.proto}: its calls, its messages, its errors. */
record ContractPages(ProtoFile proto) {
  private static final String SOURCE =
      "[watch.proto](../../proto/src/main/protobuf/watchgate/v1/watch.proto)";

  private static final String ERRORS = "ErrorReason";

  /** Line of a comment that begins an item: a number, or a word set apart by two spaces. */
  private static final Pattern ITEM =
      Pattern.compile(" {1,3}(?:(\\d+)\\.|([A-Z][a-z ]*?)(?= {2})) +(.*)");

  private static final Pattern ERROR = Pattern.compile("([A-Z_]+), ([A-Z]+)\\. (.*)");

  /** Limits that end in QUOTA; {@code ReferencePagesTest} compares the subjects with the code. */
  private static final String QUOTAS =
      """

      The `subject` of QuotaFailure names the limit, its text the use. [Limits](limits.md) has the defaults. Over the Kubernetes API
      the request is relayed to the apiserver instead.

      | subject | limit | option of `serve` |
      |---|---|---|
      | `streams` | open streams of the gateway | `--max-streams` |
      | `streams:client` | open streams of one client address, which a proxy shares with all clients behind it | `--max-streams-per-client` |
      | `streams:browsers` | open streams and calls of browsers | `--max-browser-streams` |
      | `streams:user` | open streams of one user | `--max-streams-per-user` |
      | `selections:user` | different selections and projections of one user | `--max-selections-per-user` |
      | `opens:user` | calls of one user a second | `--max-opens-per-user` |
      | `reviews:user` | calls of one user that wait for a review | none: share streams |
      | `feeds` | different selections and projections of all users | `--max-feeds` |
      | `snapshots:waiting` | streams in the queue of snapshots; of one user half of them | none; more `--snapshot-mib` make the queue shorter |
      | `credentials:client` | unknown tokens of one client address | none: correct the token |
      | `responses`, `responses:client`, `responses:building` | bytes of answered lists that clients have not read; those of one client address; those that are being built at this moment | none; they grow with the heap. Ask for smaller pages |
      | `requests:bytes` | bytes of requests that were sent in part | none: send each request as a whole |
      | `calls:open` | open calls of reflection | none: end yours |
      """
          .stripTrailing();

  List<ReferencePage> all() {
    return List.of(
        new ReferencePage(
            "contract.md",
            "The contract",
            SOURCE,
            service(),
            "[Messages of requests](contract-requests.md),"
                + " [Messages of responses](contract-responses.md), [Errors](errors.md)"),
        new ReferencePage(
            "contract-requests.md",
            "Messages of requests",
            SOURCE,
            declarations(Kind.MESSAGE, inRequests()::contains),
            "[The contract](contract.md), [Values of enums](contract-enums.md)"),
        new ReferencePage(
            "contract-responses.md",
            "Messages of responses",
            SOURCE,
            declarations(Kind.MESSAGE, name -> !inRequests().contains(name)),
            "[The contract](contract.md), [Values of enums](contract-enums.md)"),
        new ReferencePage(
            "contract-enums.md",
            "Values of enums",
            SOURCE,
            declarations(Kind.ENUM, name -> !name.equals(ERRORS)),
            "[The contract](contract.md), [Errors](errors.md)"),
        new ReferencePage(
            "errors.md",
            "Errors",
            SOURCE,
            errors(),
            "[When something is wrong](../how-to/troubleshoot.md),"
                + " [Write a client](../how-to/write-a-client.md)"));
  }

  private List<String> service() {
    Declaration service = proto.of("WatchService");
    List<String> lines = new ArrayList<>(markdown(service.comment()));
    for (Member call : service.members()) {
      lines.add("");
      lines.add("## " + call.name());
      lines.add("");
      lines.add("`rpc " + call.type() + "`");
      lines.add("");
      lines.addAll(markdown(call.comment()));
    }
    return lines;
  }

  /** Returns the names of the messages that a request can contain. */
  private Set<String> inRequests() {
    Set<String> names = new LinkedHashSet<>();
    proto.declarations().stream()
        .map(Declaration::name)
        .filter(name -> name.endsWith("Request"))
        .forEach(name -> addWithFields(name, names));
    return names;
  }

  private void addWithFields(String name, Set<String> names) {
    if (names.add(name)) {
      proto.of(name).members().stream()
          .map(field -> field.type().replace("repeated ", ""))
          .filter(type -> proto.declarations().stream().anyMatch(one -> one.name().equals(type)))
          .forEach(type -> addWithFields(type, names));
    }
  }

  private List<String> declarations(Kind kind, Predicate<String> isHere) {
    List<String> lines = new ArrayList<>();
    for (Declaration declaration : proto.declarations()) {
      if (declaration.kind() == kind && isHere.test(declaration.name())) {
        lines.add("");
        lines.add("## " + declaration.name());
        lines.add("");
        lines.addAll(markdown(declaration.comment()));
        lines.addAll(members(declaration));
      }
    }
    return lines;
  }

  private List<String> members(Declaration declaration) {
    if (declaration.members().isEmpty()) {
      return declaration.comment().isEmpty() ? List.of("It has no fields.") : List.of();
    }
    List<String> lines = new ArrayList<>();
    if (!declaration.comment().isEmpty()) {
      lines.add("");
    }
    boolean isEnum = declaration.kind() == Kind.ENUM;
    lines.add(isEnum ? "| value | meaning |" : "| field | type | meaning |");
    lines.add(isEnum ? "|---|---|" : "|---|---|---|");
    for (Member member : declaration.members()) {
      String meaning = cell(String.join(" ", member.comment()));
      String oneOf = member.group().isEmpty() ? "" : " (one of `" + member.group() + "`)";
      lines.add(
          isEnum
              ? "| `%s` | %s |".formatted(member.name(), meaning)
              : "| `%s` | %s%s | %s |"
                  .formatted(member.name(), linkedType(member.type()), oneOf, meaning));
    }
    return lines;
  }

  /** Returns the type of a field, as a link to its declaration if it is one of the contract. */
  private String linkedType(String type) {
    String name = type.replace("repeated ", "");
    return proto.declarations().stream()
        .filter(declared -> declared.name().equals(name))
        .findFirst()
        .map(
            declared ->
                "[`%s`](%s#%s)".formatted(type, page(declared), name.toLowerCase(Locale.ROOT)))
        .orElse("`" + type + "`");
  }

  private String page(Declaration declared) {
    return switch (declared.kind()) {
      case ENUM -> "contract-enums.md";
      case SERVICE -> "contract.md";
      case MESSAGE ->
          inRequests().contains(declared.name()) ? "contract-requests.md" : "contract-responses.md";
    };
  }

  private List<String> errors() {
    List<String> lines = new ArrayList<>();
    lines.add(
        """
        A stream never ends with OK. Each error has a `google.rpc.ErrorInfo` of the domain `watchgate.io` with a `reason` and an `action`, repeated
        in the trailers `watchgate-reason` and `watchgate-action`. RESUME: continue with the last token, after the `RetryInfo` if there is one and a short
        random wait. RESTART: without a token. STOP: the request cannot succeed. An error without reason and action is not a gateway's:
        [rule 11 of watch.proto](contract.md#listandwatch).
        """
            .strip());
    for (Member reason : proto.of(ERRORS).members()) {
      Matcher text = ERROR.matcher(String.join(" ", reason.comment()));
      if (text.matches()) {
        lines.add("");
        lines.add("## " + reason.name().substring("ERROR_REASON_".length()));
        lines.add("");
        lines.add("%s, %s. %s".formatted(text.group(1), text.group(2), text.group(3)));
        if (reason.name().equals("ERROR_REASON_QUOTA")) {
          QUOTAS.lines().forEach(lines::add);
        }
      }
    }
    lines.addAll(ends());
    return lines;
  }

  /** Returns the ends of streams to which no error was sent. */
  private static List<String> ends() {
    List<String> lines = new ArrayList<>();
    lines.add("");
    lines.add("## Ends without an error");
    lines.add("");
    lines.add(
        """
        Where a stream or a watch of the Kubernetes read API ended without one of these reasons, `watchgate_streams_ended_total`, `/debug/streams?state=ended`
        and the audit log have one of the words below as `reason`. The metrics have all reasons in lower case. The client resumes with its last token.

        | reason | meaning | what to do |
        |---|---|---|
        """
            .strip());
    for (ClientEnd end : ClientEnd.values()) {
      lines.add("| `%s` | %s |".formatted(end.label(), meaning(end)));
    }
    lines.add(
        "| `%s` | the gateway failed, as with [UNSPECIFIED](#unspecified) | report the stack trace that"
                .formatted(ClientEnd.INTERNAL)
            + " its log has |");
    return lines;
  }

  private static String meaning(ClientEnd end) {
    return switch (end) {
      case CLIENT ->
          "the client cancelled the stream, or its deadline passed: a program that ended in order,"
              + " or had read enough | nothing if that was intended; otherwise look for a deadline"
              + " or a timeout in the client's code";
      case CONNECTION ->
          "the connection was closed or broke; over the Kubernetes read API also: it took no bytes"
              + " for too long | if many end at once, look at the network, and at the idle timeout"
              + " and the restarts of a proxy in between; otherwise at the client's process, which"
              + " may have been killed";
      case KEEPALIVE ->
          "the connection did not answer a ping | look whether the client's process or machine has"
              + " stopped, or a firewall drops the connection; `address` in the row names it";
      case UNREAD ->
          "more than 1 MiB waited on the connection for 40 s, and its client read nothing, nor"
              + " answered a ping: the gateway closed the connection. With less on it, a stream"
              + " that is not read stays open until the memory for slow readers is full, then ends"
              + " with [LAGGED](#lagged) | [make it"
              + " read](../how-to/debug-a-client-that-is-behind.md): a handler blocks the thread"
              + " that reads";
    };
  }

  /** Returns a comment as Markdown: paragraphs, and lists for indented lines. */
  static List<String> markdown(List<String> comment) {
    List<String> lines = new ArrayList<>();
    boolean inList = false;
    for (String line : comment) {
      Matcher item = ITEM.matcher(line);
      if (item.matches()) {
        if (!inList) {
          lines.add("");
        }
        inList = true;
        lines.add(
            item.group(1) != null
                ? item.group(1) + ". " + item.group(3)
                : "- **" + item.group(2) + "**: " + item.group(3));
      } else if (line.startsWith("  ") && inList) {
        lines.set(lines.size() - 1, lines.getLast() + " " + line.strip());
      } else {
        if (inList) {
          lines.add("");
        }
        inList = false;
        lines.add(line.strip());
      }
    }
    return lines;
  }
}
