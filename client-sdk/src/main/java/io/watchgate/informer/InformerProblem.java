package io.watchgate.informer;

import io.watchgate.client.WatchError;
import java.util.Optional;

/** Something that an informer goes on after, but that somebody may want to hear of. */
public sealed interface InformerProblem {

  /** For a person, one line; never the object, which may hold secrets. */
  String text();

  /**
   * A state of an object could not be decoded: what is held of the object stays as it was.
   *
   * @param cause thrown by the decoder
   */
  record Undecodable(NamespacedName key, String resourceVersion, Throwable cause)
      implements InformerProblem {
    @Override
    public String text() {
      return key + " at " + resourceVersion + " cannot be decoded: " + cause.getClass().getName();
    }
  }

  /**
   * An index function threw, or gave null: the index has no value for that state of the object. The
   * store, other indexes and handlers have it all the same.
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
   * A server that is no gateway answered, such as a proxy or load balancer in between. The informer
   * tries again: without end once a gateway has answered its client, else for {@link
   * io.watchgate.client.WatchClientBuilder#firstAnswerTimeout}. Reported once for each outage.
   *
   * @param error with which it answered
   */
  record OtherServerAnswered(WatchError error) implements InformerProblem {
    @Override
    public String text() {
      return "a server that is no gateway answered "
          + error.code()
          + (error.message().isEmpty() ? "" : ", " + error.message())
          + "; it is tried again";
    }
  }

  /** An object is larger than the client accepts: what is held of it stays as it was. */
  record TooLarge(NamespacedName key, String resourceVersion, long bytes)
      implements InformerProblem {
    @Override
    public String text() {
      return key + " at " + resourceVersion + " was left out: it alone has " + bytes + " bytes";
    }
  }

  /**
   * A handler threw; the next is told all the same.
   *
   * @param key of what it was told; empty: that all were told
   */
  record HandlerFailed(Optional<NamespacedName> key, Throwable cause) implements InformerProblem {
    @Override
    public String text() {
      return "a handler threw "
          + cause.getClass().getName()
          + key.map(of -> " when told of " + of).orElse("");
    }
  }

  /**
   * A patch does not fit what is held: the informer begins anew, with whole objects from then on.
   */
  record PatchUnfit(String why) implements InformerProblem {
    @Override
    public String text() {
      return why + "; it begins anew, without patches";
    }
  }

  /**
   * What came cannot be, whoever sent it: nothing of it was applied, and the informer begins anew.
   */
  record ContractBroken(String why) implements InformerProblem {
    @Override
    public String text() {
      return why + "; nothing of it is taken, and it begins anew";
    }
  }
}
