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
        public void streamOpened(ApiResource type) {}

        @Override
        public void streamEnded(ApiResource type, ErrorReason reason) {}

        @Override
        public void streamLeft(ApiResource type, ClientEnd end) {}

        @Override
        public void sent(ApiResource type, int events, long bytes) {}

        @Override
        public void snapshotStarted(ApiResource type, SnapshotReason reason) {}

        @Override
        public void netEffectStarted(ApiResource type, NetEffectReason reason) {}

        @Override
        public void delivered(ApiResource type, long lagNanos) {}

        @Override
        public void behind(ApiResource type, int owner, long events, long bytes) {}
      };

  /**
   * Counts a stream that never began. {@code reason} is UNSPECIFIED if the gateway itself failed.
   */
  void streamRefused(ErrorReason reason);

  /** Counts a page of a list that was refused. */
  void listRefused(ErrorReason reason);

  void pageListed(ApiResource type);

  void streamOpened(ApiResource type);

  /**
   * Counts a stream that the gateway ended. {@code reason} is UNSPECIFIED if the gateway itself
   * failed.
   */
  void streamEnded(ApiResource type, ErrorReason reason);

  /** Counts a stream that the client's side ended. */
  void streamLeft(ApiResource type, ClientEnd end);

  void sent(ApiResource type, int events, long bytes);

  void snapshotStarted(ApiResource type, SnapshotReason reason);

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
  void behind(ApiResource type, int owner, long events, long bytes);
}
