package io.watchgate.grpc;

import io.grpc.netty.shaded.io.netty.util.internal.PlatformDependent;

/** Memory of the transport outside the heap. */
public final class NettyMemory {
  private NettyMemory() {}

  /**
   * Returns the largest number of bytes that Java and the transport may each use outside the heap.
   */
  public static long maxDirectBytes() {
    return PlatformDependent.maxDirectMemory();
  }

  /**
   * Returns the bytes that Java's buffer pools do not count; 0 if Netty takes all its memory from
   * them.
   */
  public static long directBytes() {
    return Math.max(0, PlatformDependent.usedDirectMemory());
  }
}
