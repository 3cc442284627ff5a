package io.watchgate.sandbox;

import java.util.UUID;
import java.util.random.RandomGenerator;

/**
 * What the apiserver makes up: uids, the ends of generated names, addresses of services. Drawn from
 * one source, so that the same requests in the same order give the same. Used with the store's lock
 * held.
 */
final class Allocator {
  /** Without vowels, so that no words come of it; as apimachinery has it. */
  private static final String LETTERS = "bcdfghjklmnpqrstvwxz2456789";

  private static final int SUFFIX = 5;
  private static final int MAX_BASE = 63 - SUFFIX;

  private static final int FIRST_NODE_PORT = 30_000;
  private static final int NODE_PORTS = 2_768;

  private final RandomGenerator random;

  /** Of 10.96.0.0/12, as kubeadm has it; the first is the apiserver's own. */
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

  /** A name that begins like this. */
  String name(String base) {
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
