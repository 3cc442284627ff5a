package io.watchgate.ops.pages;

import java.net.InetAddress;
import java.util.List;

/** Authorization of requests for metrics and other pages. Called on a thread that may block. */
public interface PageAuthorizer {
  /** Authorizer that allows all requests. */
  PageAuthorizer OPEN = (authorization, from, path) -> Decision.PASS;

  /** Authorizer that denies all requests. Requests of callers on this host do not get to it. */
  PageAuthorizer LOCAL_ONLY = (authorization, from, path) -> Decision.refuse(Verdict.LOCAL_ONLY);

  /** Result of the authorization. */
  enum Verdict {
    PASS(200, ""),
    /** The caller is unknown. */
    UNKNOWN(401, "send a bearer token that this gateway accepts\n"),
    DENIED(403, "this user may not get this path\n"),
    /** Callers are not authenticated. */
    LOCAL_ONLY(
        403,
        "callers are not authenticated, so only this host may get this path: use kubectl"
            + " port-forward, or start the gateway with --token-review\n"),
    /** The caller, or the address, sends too many requests. */
    TOO_OFTEN(429, "too often\n"),
    /** The review could not be made. */
    UNAVAILABLE(503, "the apiserver could not be asked\n");

    private final int status;
    private final String text;

    Verdict(int status, String text) {
      this.status = status;
      this.text = text;
    }

    public int status() {
      return status;
    }

    public String text() {
      return text;
    }
  }

  /**
   * Decision on a request.
   *
   * @param objects access of the caller to objects of the cluster
   */
  record Decision(Verdict verdict, ObjectAccess objects) {
    /** Decision about a caller that may get all pages. */
    public static final Decision PASS = new Decision(Verdict.PASS, ObjectAccess.ALL);

    /** Returns the decision that a request is refused. */
    public static Decision refuse(Verdict verdict) {
      return new Decision(
          verdict,
          selection -> {
            throw PageException.denied(verdict.text().strip());
          });
    }
  }

  /**
   * Decides on a request.
   *
   * @param authorization the headers of that name
   */
  Decision decide(List<String> authorization, InetAddress from, String path);
}
