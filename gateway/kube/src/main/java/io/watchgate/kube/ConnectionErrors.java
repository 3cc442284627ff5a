package io.watchgate.kube;

import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.security.cert.CertificateException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/** Messages for connection failures, with the cause and the setting to check. */
final class ConnectionErrors {
  private ConnectionErrors() {}

  static String text(IOException e, ClientConfig access) {
    String url = access.route();
    return switch (e) {
      case UnknownHostException unknown ->
          "the name of "
              + (access.proxy() == null ? url : access.proxy())
              + " cannot be resolved ("
              + access.source()
              + ")";
      case ConnectException refused -> unreachable(refused, access);
      case NoRouteToHostException noRoute -> unreachable(noRoute, access);
      case SocketTimeoutException timeout -> "no answer from " + url + " in time";
      case SSLPeerUnverifiedException unverified ->
          "the certificate of "
              + url
              + " is for another name; if that is right, set tls-server-name ("
              + access.source()
              + ")";
      case SSLException tls -> tls(tls, access);
      default -> "the connection to " + url + " broke" + inBrackets(e.getMessage());
    };
  }

  private static String unreachable(IOException e, ClientConfig access) {
    return "cannot connect to " + access.route() + ": " + reason(e) + " (" + access.source() + ")";
  }

  private static String inBrackets(@Nullable String reason) {
    if (reason == null) {
      return "";
    }
    // This is all that OkHttp reports when its pings are not answered.
    String hint =
        reason.endsWith("PROTOCOL_ERROR") ? ", perhaps because a ping was not answered" : "";
    return " (" + LogText.singleLine(reason) + hint + ")";
  }

  private static String reason(IOException e) {
    // OkHttp names the address, the JDK the reason.
    Throwable cause = e.getCause() == null ? e : e.getCause();
    return LogText.singleLine(String.valueOf(cause.getMessage()));
  }

  private static String tls(SSLException e, ClientConfig access) {
    for (@Nullable Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof CertificateException) {
        return "the certificate of "
            + access.route()
            + " is not trusted ("
            // The JDK names the classes of its own exceptions in between.
            + LogText.singleLine(
                String.valueOf(cause.getMessage()).replaceAll("[\\w.]+Exception: ", ""))
            + "); is certificate-authority right? ("
            + access.source()
            + ")";
      }
    }
    return "TLS with "
        + access.route()
        + " failed: "
        + LogText.singleLine(String.valueOf(e.getMessage()))
        + " ("
        + access.source()
        + ")";
  }
}
