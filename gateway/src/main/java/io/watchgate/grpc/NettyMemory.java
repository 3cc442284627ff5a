package io.watchgate.grpc;

import io.grpc.netty.shaded.io.netty.util.internal.PlatformDependent;

/** What the transport has of memory outside the heap. */
public final class NettyMemory {
  private NettyMemory() {}

  /** The most bytes that Java and the transport may each use outside the heap. */
  public static long maxDirectBytes() {
    return PlatformDependent.maxDirectMemory();
  }

  /** Bytes that Java's buffer pools do not count; 0 where Netty takes all it has from those. */
  public static long directBytes() {
    return Math.max(0, PlatformDependent.usedDirectMemory());
  }
}
