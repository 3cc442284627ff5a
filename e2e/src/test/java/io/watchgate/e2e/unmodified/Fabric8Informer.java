package io.watchgate.e2e.unmodified;

import com.fasterxml.jackson.databind.node.MissingNode;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.watchgate.e2e.kube.Json;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** Informer of fabric8, in this JVM. */
final class Fabric8Informer implements Informer, ResourceEventHandler<ConfigMap> {
  static {
    // Its Netty would use sun.misc.Unsafe, for which the JVM prints a warning.
    System.setProperty("io.netty.noUnsafe", "true");
  }

  private static final int START_LIMIT_SECONDS = 180;

  private final List<InformerEvent> events = new CopyOnWriteArrayList<>();
  private final KubernetesClient client;

  private Fabric8Informer(KubernetesClient client) {
    this.client = client;
  }

  /**
   * Starts an informer.
   *
   * @param watchList whether it begins with a streaming list, not with a list
   */
  static Informer start(boolean watchList, Target target, String namespace) throws Exception {
    KubernetesClient client =
        new KubernetesClientBuilder()
            .withConfig(
                new ConfigBuilder(Config.fromKubeconfig(target.kubeconfig().toFile()))
                    .withWatchList(watchList)
                    .build())
            .build();
    Fabric8Informer informer = new Fabric8Informer(client);
    try {
      // The handler receives the list after the start; inform() would wait for it without a time
      // limit.
      client
          .configMaps()
          .inNamespace(namespace)
          .withLabel("app", "web")
          .runnableInformer(0)
          .addEventHandler(informer)
          .start()
          .toCompletableFuture()
          .get(START_LIMIT_SECONDS, TimeUnit.SECONDS);
      informer.events.add(new InformerEvent("synced", MissingNode.getInstance()));
      return informer;
    } catch (Exception e) {
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
    events.add(
        new InformerEvent(what, Json.parse(client.getKubernetesSerialization().asJson(map))));
  }

  @Override
  public List<InformerEvent> events() {
    return events;
  }

  @Override
  public void close() {
    client.close();
  }
}
