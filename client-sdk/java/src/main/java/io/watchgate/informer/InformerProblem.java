package io.watchgate.informer;

import io.watchgate.client.WatchError;
import java.util.Optional;

/** Problem that does not end an informer but is reported to listeners and the log. */
public sealed interface InformerProblem {

  /** Returns one line for a person; never the object, which may hold secrets. */
  String text();

  /**
   * A state of an object could not be decoded. The store keeps the previous state of the object.
   *
   * @param cause exception of the decoder
   */
  record Undecodable(NamespacedName key, String resourceVersion, Throwable cause)
      implements InformerProblem {
    @Override
    public String text() {
      return key + " at " + resourceVersion + " cannot be decoded: " + cause.getClass().getName();
    }
  }

  /**
   * An index function threw or returned null, so the index has no value for that state of the
   * object. The store, other indexes and handlers are not affected.
   */
  record IndexFailed(NamespacedName key, String resourceVersion, String index, Throwable cause)
      implements InformerProblem {
    @Override
    public String text() {
      return key
          + " at "
          + resourceVersion
          + " is not in the index "
          + index
          + ", whose function threw "
          + cause.getClass().getName();
    }
  }

  /**
   * A server that is not a gateway answered, such as a proxy or load balancer in between. The
   * informer retries: without a time limit once a gateway has answered its client, else for {@link
   * io.watchgate.client.WatchClientBuilder#firstAnswerTimeout}. Reported once for each outage.
   *
   * @param error error of that server
   */
  record OtherServerAnswered(WatchError error) implements InformerProblem {
    @Override
    public String text() {
      return "a server that is not a gateway answered "
          + error.code()
          + (error.message().isEmpty() ? "" : ", " + error.message())
          + "; it is tried again";
    }
  }

  /** An object is larger than the client accepts. The store keeps its previous state. */
  record TooLarge(NamespacedName key, String resourceVersion, long bytes)
      implements InformerProblem {
    @Override
    public String text() {
      return key + " at " + resourceVersion + " was left out: it alone has " + bytes + " bytes";
    }
  }

  /**
   * A handler threw an exception; the next change is delivered as usual.
   *
   * @param key object of the change; empty: the exception came from {@link Handler#onSynced}
   */
  record HandlerFailed(Optional<NamespacedName> key, Throwable cause) implements InformerProblem {
    @Override
    public String text() {
      return "a handler threw "
          + cause.getClass().getName()
          + key.map(of -> " for the change of " + of).orElse("");
    }
  }

  /** A patch did not apply. The informer restarts and requests entire objects from then on. */
  record PatchUnfit(String reason) implements InformerProblem {
    @Override
    public String text() {
      return reason + "; the informer restarts, without patches";
    }
  }

  /**
   * An update violated the protocol. Nothing of the update was applied, and the informer restarts.
   */
  record ContractBroken(String reason) implements InformerProblem {
    @Override
    public String text() {
      return reason + "; the update is discarded, and the informer restarts";
    }
  }
}
