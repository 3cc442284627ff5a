package io.watchgate.http;

import io.watchgate.error.ApiException;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Admission of answers from caches by the memory that they take while they are sent. A refused one
 * is relayed, or gets the status 429 of {@link StatusErrors}. Thread-safe.
 */
public interface AnswerAdmission {
  /**
   * Waits for room.
   *
   * @param bytes heap in bytes that the answer takes until the client has read it
   * @throws ApiException QUOTA if there is no room in time
   */
  Ticket admit(@Nullable SocketAddress client, long bytes)
      throws ApiException, InterruptedException;

  /** Ticket of one answer. Thread-safe. */
  interface Ticket {
    /** Ticket without a limit. */
    Ticket UNLIMITED =
        new Ticket() {
          @Override
          public boolean mayContinue() {
            return true;
          }

          @Override
          public void close() {
            // nothing to give back
          }
        };

    /**
     * Returns whether the answer may still be sent: a client that reads slowly may take its memory
     * only while others leave it some. To be asked while it is sent, each second or more often.
     */
    boolean mayContinue();

    /** Gives the memory back; a second call does nothing. */
    void close();
  }
}
