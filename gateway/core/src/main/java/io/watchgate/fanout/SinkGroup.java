package io.watchgate.fanout;

import io.watchgate.encode.ByteSlices;

/**
 * Group of sinks of one connection that are sent the same responses. While a sink is a member,
 * nothing else is sent to it. Confined to the event loop of the connection.
 */
public interface SinkGroup {

  /** Outcome of sending a response to all members. */
  enum Outcome {
    SENT,
    /** Nothing was sent. The group's callback runs when it may try again. */
    WAIT,
    /** Nothing was sent: each member must send for itself. */
    REFUSED
  }

  /** Sends one encoded response to all members, or to none. */
  Outcome trySend(ByteSlices response);

  /** Removes a member by its index, in the order of joining. The last member takes its index. */
  void remove(int index);
}
