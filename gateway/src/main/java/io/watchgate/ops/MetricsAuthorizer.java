package io.watchgate.ops;

import java.net.InetAddress;
import java.util.List;

/** Decides who may read the metrics. Called on a thread that may block. */
public interface MetricsAuthorizer {
  /** Lets everybody. */
  MetricsAuthorizer OPEN = (authorization, from, path) -> Verdict.PASS;

  /** What becomes of a request. */
  enum Verdict {
    PASS(200, ""),
    /** Nobody knows who asks. */
    UNKNOWN(401, "send a bearer token that is good here\n"),
    DENIED(403, "this user may not get this path\n"),
    /** He, or his address, asks too often. */
    TOO_OFTEN(429, "too often\n"),
    /** Nobody can be asked. */
    UNANSWERED(503, "the apiserver could not be asked\n");

    private final int status;
    private final String text;

    Verdict(int status, String text) {
      this.status = status;
      this.text = text;
    }

    int status() {
      return status;
    }

    String text() {
      return text;
    }
  }

  /**
   * Decides.
   *
   * @param authorization the headers of that name
   */
  Verdict decide(List<String> authorization, InetAddress from, String path);
}
