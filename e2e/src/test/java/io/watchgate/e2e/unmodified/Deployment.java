package io.watchgate.e2e.unmodified;

import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;

/** Deployment with two replicas, whose status the test writes in place of a controller. */
record Deployment(Cluster cluster, String namespace, String name) {
  static Deployment create(LabeledMaps namespace, String name) {
    Deployment deployment = new Deployment(namespace.cluster(), namespace.namespace(), name);
    deployment.cluster.create(
        Resource.DEPLOYMENTS,
        Json.parse(
            """
            {"apiVersion":"apps/v1","kind":"Deployment",
             "metadata":{"namespace":"%s","name":"%s"},
             "spec":{"replicas":2,"selector":{"matchLabels":{"app":"web"}},
                     "template":{"metadata":{"labels":{"app":"web"}},
                                 "spec":{"containers":[{"name":"web","image":"web:1"}]}}}}
            """
                .formatted(deployment.namespace, name)));
    return deployment;
  }

  /** Changes the template, and so the generation. */
  void setImage(String image) {
    cluster.patch(
        Resource.DEPLOYMENTS,
        namespace,
        name,
        """
        {"spec":{"template":{"spec":{"containers":[{"name":"web","image":"%s"}]}}}}
        """
            .formatted(image));
  }

  /**
   * Sets the status of two pods.
   *
   * @param observed generation that the controller has seen
   * @param updated pods of the newest template
   * @param available pods of the newest template that are available
   */
  void setStatus(int observed, int updated, int available) {
    cluster.patchStatus(
        Resource.DEPLOYMENTS,
        namespace,
        name,
        """
        {"status":{"observedGeneration":%d,"replicas":2,
                   "updatedReplicas":%d,"readyReplicas":%d,"availableReplicas":%d}}
        """
            .formatted(observed, updated, available, available));
  }
}
