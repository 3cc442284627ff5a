package io.watchgate.fanout;

import io.watchgate.cache.ApiResource;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.proto.v1.NetEffectReason;
import io.watchgate.proto.v1.SnapshotReason;

/**
 * What the streams of all types count. Implemented by {@code ops}; called by owners, from several
 * threads.
 */
public interface FanoutMetrics {
  /** Counts nothing. */
  FanoutMetrics NONE =
      new FanoutMetrics() {
        @Override
        public void streamRefused(ErrorReason reason) {}

        @Override
        public void streamOpened(ApiResource type) {}

        @Override
        public void streamEnded(ApiResource type, ErrorReason reason) {}

        @Override
        public void streamLeft(ApiResource type, ClientEnd how) {}

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

  /** It never began. {@code reason} is UNSPECIFIED where the gateway itself failed at it. */
  void streamRefused(ErrorReason reason);

  void streamOpened(ApiResource type);

  /** The gateway ended it. {@code reason} is UNSPECIFIED where the gateway itself failed at it. */
  void streamEnded(ApiResource type, ErrorReason reason);

  /** The client's side ended it. */
  void streamLeft(ApiResource type, ClientEnd how);

  void sent(ApiResource type, int events, long bytes);

  void snapshotStarted(ApiResource type, SnapshotReason reason);

  void netEffectStarted(ApiResource type, NetEffectReason reason);

  /**
   * A response with changes was handed to the transport so long after the first of them came from
   * the apiserver.
   */
  void delivered(ApiResource type, long lagNanos);

  /**
   * How far behind is the last of an owner's streams.
   *
   * @param bytes what it keeps alive that nothing else would
   */
  void behind(ApiResource type, int owner, long events, long bytes);
}
