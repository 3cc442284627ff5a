package io.watchgate.http;

import io.watchgate.auth.AccessAttributes;
import java.util.Optional;

/** Way in which a proxy answers a request. */
sealed interface ProxyRoute {
  /**
   * From the cache of a type, if the caller may read it and the cache has the state.
   *
   * @param options empty for a get
   */
  record FromCache(ResourceReads.Read read, Optional<ListOptions> options) implements ProxyRoute {
    AccessAttributes.Verb verb() {
      return options
          .map(
              it ->
                  switch (it.verb()) {
                    case LIST -> AccessAttributes.Verb.LIST;
                    case WATCH -> AccessAttributes.Verb.WATCH;
                  })
          .orElse(AccessAttributes.Verb.GET);
    }

    /** Returns whether the state must be proven current as of the request. */
    boolean isConsistent() {
      return options
          .map(it -> it.start().resourceVersion().isEmpty() && it.page().continueToken().isEmpty())
          .orElse(false);
    }

    /** Returns where the answer comes from, if it comes from here. */
    AnswerSource source() {
      return isConsistent() ? AnswerSource.PROVEN : AnswerSource.CACHE;
    }

    /**
     * Returns whether the type must be open already: the request alone is no reason to list a type
     * as a whole and to watch it.
     */
    boolean needsOpenType() {
      return options
          .map(
              it ->
                  it.verb() == ListOptions.Verb.LIST
                      && (isConsistent() || !it.page().continueToken().isEmpty()))
          .orElse(true);
    }
  }

  /** By the apiserver. */
  record ToApiserver(RelayReason reason) implements ProxyRoute {}

  /** With a stream that ends at once: the client then watches without a WebSocket. */
  enum EmptyStream implements ProxyRoute {
    EMPTY_STREAM
  }
}
