package io.watchgate.sandbox;

import java.util.UUID;
import java.util.random.RandomGenerator;

/**
 * Generator of the values that the apiserver assigns: uids, suffixes of generated names, addresses
 * and node ports of services. All values come from one random source, so the same requests in the
 * same order give the same values. Used with the store's lock held.
 */
final class Allocator {
  /** Letters and digits without vowels, so that no words result, as in apimachinery. */
  private static final String LETTERS = "bcdfghjklmnpqrstvwxz2456789";

  private static final int SUFFIX = 5;
  private static final int MAX_BASE = 63 - SUFFIX;

  private static final int FIRST_NODE_PORT = 30_000;
  private static final int NODE_PORTS = 2_768;

  private final RandomGenerator random;

  /**
   * Offset of the last address in 10.96.0.0/12, kubeadm's range; the first address is the
   * apiserver's own.
   */
  private int lastAddress = 1;

  private int lastNodePort;

  Allocator(RandomGenerator random) {
    this.random = random;
  }

  String uid() {
    long high = (random.nextLong() & ~0xf000L) | 0x4000L;
    long low = (random.nextLong() >>> 2) | (1L << 63);
    return new UUID(high, low).toString();
  }

  /** Returns a new name that begins with {@code base}. */
  String generateName(String base) {
    StringBuilder name =
        new StringBuilder(base.length() > MAX_BASE ? base.substring(0, MAX_BASE) : base);
    for (int i = 0; i < SUFFIX; i++) {
      name.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
    }
    return name.toString();
  }

  String clusterAddress() {
    lastAddress = (lastAddress + 1) & 0xfffff;
    int address = ((10 << 24) | (96 << 16)) + lastAddress;
    return "%d.%d.%d.%d"
        .formatted(address >>> 24, (address >>> 16) & 255, (address >>> 8) & 255, address & 255);
  }

  int nodePort() {
    lastNodePort = (lastNodePort + 1) % NODE_PORTS;
    return FIRST_NODE_PORT + lastNodePort;
  }
}
