package io.watchgate.e2e.unmodified;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.MissingNode;
import io.kubernetes.client.informer.ResourceEventHandler;
import io.kubernetes.client.informer.SharedIndexInformer;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ConfigMapList;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.KubeConfig;
import io.watchgate.e2e.kube.Json;
import java.io.Reader;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.core.ConditionTimeoutException;

/** Informer of the official Java client, in this JVM. */
final class OfficialInformer implements Informer, ResourceEventHandler<V1ConfigMap> {
  private static final Duration START_LIMIT = Duration.ofMinutes(3);

  private final List<InformerEvent> events = new CopyOnWriteArrayList<>();
  private final SharedInformerFactory factory;

  private OfficialInformer(SharedInformerFactory factory) {
    this.factory = factory;
  }

  static Informer start(Target target, String namespace) throws Exception {
    ApiClient client;
    try (Reader text = Files.newBufferedReader(target.kubeconfig())) {
      KubeConfig config = KubeConfig.loadKubeConfig(text);
      config.setFile(target.kubeconfig().toFile());
      client = ClientBuilder.kubeconfig(config).build().setReadTimeout(0);
    }
    CoreV1Api maps = new CoreV1Api(client);
    SharedInformerFactory factory = new SharedInformerFactory(client);
    SharedIndexInformer<V1ConfigMap> informer =
        factory.sharedIndexInformerFor(
            asked ->
                maps.listNamespacedConfigMap(namespace)
                    .labelSelector("app=web")
                    .resourceVersion(asked.resourceVersion)
                    .timeoutSeconds(asked.timeoutSeconds)
                    .watch(asked.watch)
                    .buildCall(null),
            V1ConfigMap.class,
            V1ConfigMapList.class);
    OfficialInformer started = new OfficialInformer(factory);
    informer.addEventHandler(started);
    factory.startAllRegisteredInformers();
    try {
      await().atMost(START_LIMIT).until(informer::hasSynced);
    } catch (ConditionTimeoutException e) {
      factory.stopAllRegisteredInformers();
      throw e;
    }
    started.events.add(new InformerEvent("synced", MissingNode.getInstance()));
    return started;
  }

  @Override
  public void onAdd(V1ConfigMap map) {
    tell("add", map);
  }

  @Override
  public void onUpdate(V1ConfigMap before, V1ConfigMap map) {
    tell("update", map);
  }

  @Override
  public void onDelete(V1ConfigMap map, boolean finalStateUnknown) {
    tell("delete", map);
  }

  private void tell(String what, V1ConfigMap map) {
    events.add(new InformerEvent(what, Json.parse(map.toJson())));
  }

  /** Its queue delivers together what it holds of one object, so the load decides. */
  @Override
  public boolean ordersObjects() {
    return false;
  }

  @Override
  public List<InformerEvent> events() {
    return events;
  }

  @Override
  public void close() {
    factory.stopAllRegisteredInformers();
  }
}
