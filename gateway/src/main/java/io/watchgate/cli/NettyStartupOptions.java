package io.watchgate.cli;

import io.grpc.netty.shaded.io.netty.util.internal.logging.InternalLoggerFactory;
import io.grpc.netty.shaded.io.netty.util.internal.logging.JdkLoggerFactory;
import java.util.Set;

/**
 * Tells Netty what a client with one connection can do without, for the sake of the first row:
 * pools of buffers, and a logging configuration, which with all that reads it is a seventh of the
 * classes. What somebody set by hand stays. (The launcher has more of the kind, as options of
 * Java.)
 */
final class NettyStartupOptions {
  private static final Set<String> CLIENTS = Set.of("watch", "list", "types");
  private static final String ALLOCATOR = "io.grpc.netty.shaded.io.netty.allocator.type";

  private NettyStartupOptions() {}

  /** For the whole process, before anything else of Netty is loaded. */
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
