package io.watchgate.cache;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * Identity of a cluster and of the definition of a type. Versions of different identities never
 * compare. A restore from a backup keeps the identity; only HISTORY_LOST announces it. The identity
 * is made of facts that every replica reads from the apiserver, so that replicas agree without
 * communication.
 *
 * @param clusterId uid of namespace kube-system, or the configured name
 * @param definition type; its version and, of a custom resource, the uid of its definition are part
 *     of the identity
 */
public record HistoryId(String clusterId, TypeDefinition definition) {
  private static final int HASH_BYTES = 8;

  /** Returns the identity of the cluster, 8 bytes. */
  public byte[] clusterHash() {
    return hash("cluster", clusterId);
  }

  /** Returns the identity of the type as it is defined now, 8 bytes. */
  public byte[] typeHash() {
    ApiResource type = definition.type();
    return hash("type", type.group(), type.resource(), type.version(), definition.definitionUid());
  }

  /** Returns {@code history_id} on the wire. */
  public String text() {
    return HexFormat.of().formatHex(clusterHash()) + "-" + HexFormat.of().formatHex(typeHash());
  }

  /**
   * Returns the first 8 bytes of SHA-256 over the parts, each preceded by its length. Part of the
   * token format: must not change.
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
