package io.watchgate.relay;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Connection to the apiserver over which requests of callers are passed on, with the credentials of
 * the caller and with none of the gateway. Thread-safe; blocks.
 */
public interface Relay {
  /**
   * Returns a call that is not sent yet; the caller closes it.
   *
   * @throws IOException if none can be made; the message names the reason, for a person
   */
  Call prepare(RelayedRequest request) throws IOException;

  /** Call of the apiserver. Used by one thread, except for {@link #cancel}. */
  interface Call extends AutoCloseable {
    /**
     * Sends the request, and returns the answer once its headers are known.
     *
     * @throws NotSentException if there was no connection, so that nothing was executed
     * @throws IOException if there is no answer; the message names the reason, for a person
     */
    Answer execute() throws IOException;

    /** Ends the call, from any thread: a read in progress fails. */
    void cancel();

    /** Releases the connection. */
    @Override
    void close();
  }

  /** Failure of a call before anything of it was sent. */
  final class NotSentException extends IOException {
    private static final long serialVersionUID = 1;

    public NotSentException(String message, IOException cause) {
      super(message, cause);
    }
  }

  /** Header; a name may occur more than once. Its text is the name: the value may be a secret. */
  record Field(String name, String value) {
    @Override
    public String toString() {
      return name;
    }
  }

  /**
   * Request to pass on.
   *
   * @param pathAndQuery encoded, as received, with the first slash
   * @param headers all headers but those of the connection
   * @param body null for none
   * @param silence longest time without a byte of the answer; zero: unlimited
   */
  record RelayedRequest(
      String method,
      String pathAndQuery,
      List<Field> headers,
      @Nullable InputStream body,
      Duration silence) {
    public RelayedRequest {
      headers = List.copyOf(headers);
    }
  }

  /**
   * Answer of the apiserver.
   *
   * @param body bytes as the apiserver sends them; closed with the call
   */
  record Answer(int code, List<Field> headers, InputStream body) {
    public Answer {
      headers = List.copyOf(headers);
    }
  }
}
