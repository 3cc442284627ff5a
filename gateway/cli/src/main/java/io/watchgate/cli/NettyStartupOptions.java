package io.watchgate.cli;

import io.grpc.netty.shaded.io.netty.util.internal.logging.InternalLoggerFactory;
import io.grpc.netty.shaded.io.netty.util.internal.logging.JdkLoggerFactory;
import java.util.Set;

/**
 * Start-up options of Netty for a client with one connection, to speed up the first row: unpooled
 * buffers and java.util.logging. Pooled buffers, and the usual logging with its configuration, are
 * a seventh of all loaded classes. An allocator that is already set is kept. (The launcher sets
 * further Java options of this kind.)
 */
final class NettyStartupOptions {
  private static final Set<String> CLIENTS = Set.of("watch", "list", "types");
  private static final String ALLOCATOR = "io.grpc.netty.shaded.io.netty.allocator.type";

  private NettyStartupOptions() {}

  /** Applies the options to the process. To be called before any other class of Netty is loaded. */
  static void prepare(String... args) {
    if (args.length == 0 || !CLIENTS.contains(args[0])) {
      return;
    }
    if (System.getProperty(ALLOCATOR) == null) {
      System.setProperty(ALLOCATOR, "unpooled");
    }
    InternalLoggerFactory.setDefaultFactory(JdkLoggerFactory.INSTANCE);
  }
}
