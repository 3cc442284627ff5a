package io.watchgate.cache;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * In which history the versions of a type count: made of facts that every replica learns from the
 * apiserver alike, so that replicas agree without talking.
 *
 * @param clusterId uid of namespace kube-system, or the configured name
 * @param definition the type; its version and, of a custom resource, its definition's uid are part
 *     of the epoch
 */
public record HistoryId(String clusterId, TypeDefinition definition) {
  private static final int HASH_BYTES = 8;

  /** Identifies the cluster, 8 bytes. */
  public byte[] clusterHash() {
    return hash("cluster", clusterId);
  }

  /** Identifies the type as it is defined now, 8 bytes. */
  public byte[] typeHash() {
    ApiResource type = definition.type();
    return hash("type", type.group(), type.resource(), type.version(), definition.definitionUid());
  }

  /** {@code history_id} on the wire. */
  public String historyId() {
    return HexFormat.of().formatHex(clusterHash()) + "-" + HexFormat.of().formatHex(typeHash());
  }

  /**
   * The first 8 bytes of SHA-256 over the parts, each with its length before it. Part of the token
   * format: it stays.
   */
  public static byte[] hash(String... parts) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      for (String part : parts) {
        byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
        sha.update((bytes.length + ":").getBytes(StandardCharsets.US_ASCII));
        sha.update(bytes);
      }
      return Arrays.copyOf(sha.digest(), HASH_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
