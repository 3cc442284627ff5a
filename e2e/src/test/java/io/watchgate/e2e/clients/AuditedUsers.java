package io.watchgate.e2e.clients;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.apiserver.Apiserver;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Administrators of an apiserver with an audit log. Each run of a program is another user, so that
 * the log tells the runs apart.
 */
public final class AuditedUsers {
  private static final String NAME = "go-kube-controller-";
  private static final Set<String> READS = Set.of("list", "watch");

  private final Apiserver apiserver;
  private final int limit;
  private int taken;

  /** Adds users, which restarts the apiserver. */
  public AuditedUsers(Apiserver apiserver, int number) {
    this.apiserver = apiserver;
    this.limit = number;
    apiserver.addUsers(
        IntStream.range(0, number)
            .mapToObj(
                i -> "token-of-%s%d,%s%d,uid-%d,\"system:masters\"".formatted(NAME, i, NAME, i, i))
            .toList());
  }

  /** Returns a user that no other run has. */
  public AuditedUser next() {
    if (taken == limit) {
      throw new IllegalStateException("there are only " + limit + " users");
    }
    return new AuditedUser(apiserver, NAME + taken++);
  }

  /** User of one run. */
  public record AuditedUser(Apiserver apiserver, String name) {
    public Path kubeconfig() {
      return apiserver.kubeconfigWith("token-of-" + name);
    }

    /** Returns the lists and watches, of all resources: {@code watch configmaps shop}. */
    public Set<String> reads() {
      return requests()
          .filter(line -> READS.contains(line.get("verb").textValue()))
          .map(
              line ->
                  "%s %s %s"
                      .formatted(
                          line.get("verb").textValue(),
                          line.at("/objectRef/resource").asText(),
                          line.at("/objectRef/namespace").asText()))
          .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns the verbs of the requests for a resource of a namespace. */
    public Set<String> verbs(String resource, String namespace) {
      return requests()
          .filter(line -> line.at("/objectRef/resource").asText().equals(resource))
          .filter(line -> line.at("/objectRef/namespace").asText().equals(namespace))
          .map(line -> line.get("verb").textValue())
          .collect(Collectors.toCollection(TreeSet::new));
    }

    private Stream<JsonNode> requests() {
      List<JsonNode> lines = apiserver.auditLog();
      return lines.stream().filter(line -> line.at("/user/username").asText().equals(name));
    }
  }
}
