package io.watchgate.server;

import io.watchgate.balance.BalanceSettings;
import io.watchgate.cache.TypeReference;
import io.watchgate.kube.ReviewClient;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Part of the settings on which the required rights at the apiserver depend.
 *
 * @param types types to read
 * @param needs further rights that options require
 * @param leases namespace of the Leases of the replicas; empty if streams are not balanced
 */
public record RightsScope(List<TypeReference> types, Set<Need> needs, Optional<String> leases) {

  /** Need that depends on an option. */
  public enum Need {
    /** The uid of the cluster: no name of the cluster was given. */
    CLUSTER_UID,
    /** The cluster's authorities of client certificates. */
    CLIENT_AUTHORITIES,
    /** TokenReview. */
    TOKEN_REVIEW,
    /** SubjectAccessReview, and watches of roles and bindings. */
    ACCESS_REVIEW
  }

  public RightsScope {
    types = List.copyOf(types);
    needs = Set.copyOf(needs);
  }

  static RightsScope of(GatewaySettings settings) {
    Set<Need> needs = EnumSet.noneOf(Need.class);
    if (settings.clusterName().isEmpty()) {
      needs.add(Need.CLUSTER_UID);
    }
    if (settings.kubeApi().flatMap(KubeApiSettings::clients).orElse(null)
        == ClientAuthoritySource.OfCluster.OF_CLUSTER) {
      needs.add(Need.CLIENT_AUTHORITIES);
    }
    Set<ReviewClient.Kind> reviews = settings.access().requiredReviews();
    if (reviews.contains(ReviewClient.Kind.TOKEN_REVIEW)) {
      needs.add(Need.TOKEN_REVIEW);
    }
    if (reviews.contains(ReviewClient.Kind.SUBJECT_ACCESS_REVIEW)) {
      needs.add(Need.ACCESS_REVIEW);
    }
    return new RightsScope(
        settings.types(), needs, settings.balance().map(BalanceSettings::namespace));
  }
}
