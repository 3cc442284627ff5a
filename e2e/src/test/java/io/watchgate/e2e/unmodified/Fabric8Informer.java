package io.watchgate.e2e.unmodified;

import com.fasterxml.jackson.databind.node.MissingNode;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.watchgate.e2e.kube.Json;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** fabric8's, in this JVM. */
final class Fabric8Informer implements Informer, ResourceEventHandler<ConfigMap> {
  static {
    // Its Netty would use sun.misc.Unsafe, of which the JVM warns.
    System.setProperty("io.netty.noUnsafe", "true");
  }

  private final List<Told> told = new CopyOnWriteArrayList<>();
  private final KubernetesClient client;

  private Fabric8Informer(KubernetesClient client) {
    this.client = client;
  }

  static Informer start(Target target, String namespace) {
    KubernetesClient client =
        new KubernetesClientBuilder()
            .withConfig(Config.fromKubeconfig(target.kubeconfig().toFile()))
            .build();
    Fabric8Informer informer = new Fabric8Informer(client);
    try {
      // Returns once the list is told.
      SharedIndexInformer<ConfigMap> running =
          client.configMaps().inNamespace(namespace).withLabel("app", "web").inform(informer);
      if (running.hasSynced()) {
        informer.told.add(new Told("synced", MissingNode.getInstance()));
      }
      return informer;
    } catch (RuntimeException e) {
      client.close();
      throw e;
    }
  }

  @Override
  public void onAdd(ConfigMap map) {
    tell("add", map);
  }

  @Override
  public void onUpdate(ConfigMap before, ConfigMap map) {
    tell("update", map);
  }

  @Override
  public void onDelete(ConfigMap map, boolean finalStateUnknown) {
    tell("delete", map);
  }

  private void tell(String what, ConfigMap map) {
    told.add(new Told(what, Json.parse(client.getKubernetesSerialization().asJson(map))));
  }

  @Override
  public List<Told> told() {
    return told;
  }

  @Override
  public void close() {
    client.close();
  }
}
