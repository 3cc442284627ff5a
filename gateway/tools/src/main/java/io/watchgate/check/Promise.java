package io.watchgate.check;

/** Promises of {@code watch.proto} for a stream. {@link Validator} has the check of each. */
public enum Promise {
  FRAMED("positions, groups, signals and ends come as the contract says"),
  ORDERED("positions never go back within one timeline"),
  UNIQUE("no change is sent twice, and nothing up to the token after a resume"),
  COMPLETE("every change that matches is sent, or the stream says what replaces it"),
  FILTERED("what starts to match is ADDED, what no longer matches is DELETED"),
  CONTENT("an object is sent as the apiserver has it, less what the projection leaves out"),
  SNAPSHOT("a snapshot is exactly what matches at its position"),
  BOOKMARKABLE("everything up to a position gives the matching state there"),
  RESUMABLE("a resumed stream has exactly the changes after its token, or the answer says why not"),
  NO_TIME_TRAVEL("no state is older than the token or version that a stream was opened with"),
  FRESH("verified_at is no later than the gateway's knowledge"),
  CONFLATION("what replaces changes never merges a delete and a re-creation");

  private final String text;

  Promise(String text) {
    this.text = text;
  }

  /** Returns the promise as a sentence. */
  public String text() {
    return text;
  }
}
