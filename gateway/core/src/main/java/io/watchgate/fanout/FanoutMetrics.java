package io.watchgate.fanout;

import io.watchgate.cache.ApiResource;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.proto.v1.NetEffectReason;
import io.watchgate.proto.v1.SnapshotReason;

/**
 * Counters of the streams of all types. Implemented by {@code ops}; called by several event loops,
 * from several threads.
 */
public interface FanoutMetrics {
  /** Implementation that counts nothing. */
  FanoutMetrics NONE =
      new FanoutMetrics() {
        @Override
        public void streamRefused(ErrorReason reason) {}

        @Override
        public void listRefused(ErrorReason reason) {}

        @Override
        public void pageListed(ApiResource type) {}

        @Override
        public void streamOpened(ApiResource type, CountedStream stream) {}

        @Override
        public void streamEnded(ApiResource type, ErrorReason reason, CountedStream stream) {}

        @Override
        public void streamLeft(ApiResource type, ClientEnd end, CountedStream stream) {}

        @Override
        public void sent(ApiResource type, int events, long bytes) {}

        @Override
        public StartedSnapshot snapshotStarted(
            ApiResource type, SnapshotReason reason, CountedStream stream) {
          return StartedSnapshot.NONE;
        }

        @Override
        public void netEffectStarted(ApiResource type, NetEffectReason reason) {}

        @Override
        public void delivered(ApiResource type, long lagNanos) {}

        @Override
        public void recordLargestLag(ApiResource type, int eventLoop, long events, long bytes) {}
      };

  /**
   * Counts a stream that never began. {@code reason} is UNSPECIFIED if the gateway itself failed.
   */
  void streamRefused(ErrorReason reason);

  /** Counts a page of a list that was refused. */
  void listRefused(ErrorReason reason);

  void pageListed(ApiResource type);

  /** Stream that is counted. Called on its event loop, within the call that it was passed to. */
  interface CountedStream {
    StreamIdentity identity();

    /** Returns the events that it was sent, modulo 2^32; exact once the stream has ended. */
    long sentEvents();

    /** Returns the bytes of its responses; exact once the stream has ended. */
    long sentBytes();
  }

  /** Snapshot whose end is to be recorded. */
  interface StartedSnapshot {
    /** Snapshot that is not recorded. */
    StartedSnapshot NONE = (objects, bytes) -> {};

    /** Records that all objects were sent, in this many bytes of responses. */
    void completed(long objects, long bytes);
  }

  void streamOpened(ApiResource type, CountedStream stream);

  /**
   * Counts a stream that the gateway ended. {@code reason} is UNSPECIFIED if the gateway itself
   * failed.
   */
  void streamEnded(ApiResource type, ErrorReason reason, CountedStream stream);

  /** Counts a stream that the client's side ended. */
  void streamLeft(ApiResource type, ClientEnd end, CountedStream stream);

  void sent(ApiResource type, int events, long bytes);

  /**
   * Counts a snapshot that is started.
   *
   * @return records the completion; not called for a snapshot that is not completed
   */
  StartedSnapshot snapshotStarted(ApiResource type, SnapshotReason reason, CountedStream stream);

  void netEffectStarted(ApiResource type, NetEffectReason reason);

  /**
   * Records the time from receiving a change from the apiserver until the response that begins with
   * it was passed to the transport.
   */
  void delivered(ApiResource type, long lagNanos);

  /**
   * Records the largest lag of the streams of one event loop.
   *
   * @param bytes bytes that this stream keeps alive and that nothing else would
   */
  void recordLargestLag(ApiResource type, int eventLoop, long events, long bytes);
}
