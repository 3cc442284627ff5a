package io.watchgate.cli;

import io.watchgate.cli.output.TerminalEscaper;
import io.watchgate.client.WatchError;
import io.watchgate.client.WatchError.FieldViolation;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.proto.v1.Selection;
import java.util.Locale;

/** Messages of the command line for a gateway's errors. */
final class ErrorText {
  /** Reason of an error that lasts until rights are granted. */
  static final String UPSTREAM_FORBIDDEN = "UPSTREAM_FORBIDDEN";

  /** Hint that an administrator has to act. */
  static final String ADMINISTRATOR_HINT =
      "an administrator of the cluster must grant this to the gateway";

  private ErrorText() {}

  /** Returns reason and text in one line, for a person. */
  static String of(WatchError error) {
    return error.isFromGateway() ? plain(error) : TransportErrorText.of(error).cause();
  }

  /** Returns reason and text unchanged. */
  static String plain(WatchError error) {
    String name = error.isFromGateway() ? error.reason() : error.code().name();
    return error.message().isEmpty() ? name : name + ": " + error.message();
  }

  /** Returns reason and text as a part of a sentence, without a full stop at the end. */
  static String clause(WatchError error) {
    return clause(of(error));
  }

  /** Returns a text as a part of a sentence, without a full stop at its end. */
  static String clause(String text) {
    return text.endsWith(".") && !text.endsWith("..") ? text.substring(0, text.length() - 1) : text;
  }

  /**
   * Returns a line that names the entry of the error in the documents. It is empty for a reason
   * without an entry: one of a newer gateway, or of another server.
   */
  static String pointer(WatchError error) {
    var known = ErrorReason.getDescriptor().findValueByName("ERROR_REASON_" + error.reason());
    return error.isFromGateway() && known != null
        ? "\n  see docs/reference/errors.md#" + error.reason().toLowerCase(Locale.ROOT)
        : "";
  }

  /**
   * Returns the error of a request, the typed text with a caret below the wrong column if there is
   * one, a hint, and the entry of the error in the documents.
   */
  static String of(WatchError error, Selection selection) {
    return withHint(error, selection) + pointer(error);
  }

  private static String withHint(WatchError error, Selection selection) {
    String text =
        error
            .violation()
            .map(violation -> of(error, violation, selection))
            .orElseGet(() -> of(error));
    return switch (error.reason()) {
      case "TYPE_UNKNOWN" ->
          text.replace(" ListResourceTypes names those it knows.", "")
              + "\n  'watchgate types' lists all"
              + (selection.getResourceType().getResource().equals("all")
                  ? "; name several with commas: pods,services"
                  : "");
      case "CREDENTIALS_INVALID", "CREDENTIALS_EXPIRED" ->
          text
              + "\n  --bearer-token-file FILE sends a token, such as 'kubectl create token NAME"
              + " --audience watchgate' makes"
              + (error.message().contains("certificate")
                  ? "; --tls-client-cert FILE and --tls-client-key FILE present a certificate"
                  : "")
              + gatewayOption(error.message());
      case "ACCESS_DENIED" ->
          text
              + (selection.getNamespacesCount() == 0
                      && error.message().contains("in the whole cluster")
                  ? "\n  -n NAMESPACE asks for one namespace only, if the type has namespaces"
                  : "");
      case "TOKEN_OTHER_SELECTION" ->
          text
              + "\n"
              + "  a saved token is valid only for the same TYPE, NAME, -n, -l and"
              + " --field-selector; one that was saved with -o json or -- COMMAND only with the"
              + " same; name another file to start over";
      case "TOKEN_MALFORMED" ->
          text + "\n  the saved token is damaged; remove its file to start over";
      case UPSTREAM_FORBIDDEN -> text + "\n  " + ADMINISTRATOR_HINT + "; run this again then";
      default -> text;
    };
  }

  /**
   * Returns a line that names the option with which the gateway would accept the user of a
   * kubeconfig; empty for other errors.
   */
  private static String gatewayOption(String message) {
    if (message.contains("the apiserver does not accept the token")) {
      return "\n  a person's own login, as in a kubeconfig, is accepted by a gateway with"
          + " 'serve --token-audience AUDIENCE', an audience of the apiserver";
    }
    return message.contains("no credentials") && !message.contains("certificate")
        ? "\n  a client certificate, as in a kubeconfig, is accepted by a gateway with"
            + " 'serve --tls-client-ca FILE'"
        : "";
  }

  private static String of(WatchError error, FieldViolation violation, Selection selection) {
    String flag = flag(violation.field());
    if (flag.isEmpty()) {
      return of(error);
    }
    String column = violation.column() > 0 ? ", column " + violation.column() : "";
    // A reason such as TYPE_UNKNOWN already names the argument.
    String prefix = error.reason().startsWith(flag + "_") ? "" : flag + column + ": ";
    String description = violation.description();
    // Some begin with the name of the field, which the flag replaces.
    String message =
        description.startsWith(violation.field() + " ")
            ? flag + description.substring(violation.field().length())
            : prefix + description;
    String text = error.reason() + ": " + TerminalEscaper.inLine(message);
    return violation.column() > 0
        ? text + "\n" + ErrorCaret.below(typed(violation.field(), selection), violation.column())
        : text;
  }

  private static String flag(String field) {
    if (field.startsWith("selection.namespaces")) {
      return "-n";
    }
    if (field.startsWith("selection.resource_type")) {
      return "TYPE";
    }
    if (field.startsWith("projection.include_pointers")) {
      return "--include-pointer";
    }
    return switch (field) {
      case "selection.label_selector" -> "-l";
      case "selection.field_selector" -> "--field-selector";
      case "resource_version", "resume_token" -> "--from";
      default -> "";
    };
  }

  private static String typed(String field, Selection selection) {
    return switch (field) {
      case "selection.label_selector" -> selection.getLabelSelector();
      case "selection.field_selector" -> selection.getFieldSelector();
      default -> "";
    };
  }
}
