package io.watchgate.e2e.informers;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.io.File;
import java.util.function.BooleanSupplier;

/** Main program with fabric8's informer. Arguments: number of pods, kubeconfig. */
final class Fabric8Follower implements ResourceEventHandler<Pod> {
  private final EventRecorder recorder;

  private Fabric8Follower(EventRecorder recorder) {
    this.recorder = recorder;
  }

  public static void main(String[] arguments) throws Exception {
    MeasuredProgram.run(
        Integer.parseInt(arguments[0]),
        () -> {
          KubernetesClient client =
              new KubernetesClientBuilder()
                  .withConfig(Config.fromKubeconfig(new File(arguments[1])))
                  .build();
          return (namespace, recorder) -> follow(client, namespace, recorder);
        });
  }

  private static BooleanSupplier follow(
      KubernetesClient client, String namespace, EventRecorder recorder) {
    SharedIndexInformer<Pod> informer =
        (namespace.isEmpty()
                ? client.pods().inAnyNamespace().runnableInformer(0)
                : client.pods().inNamespace(namespace).runnableInformer(0))
            .addEventHandler(new Fabric8Follower(recorder));
    informer.start().exceptionally(Fabric8Follower::failed);
    return informer::hasSynced;
  }

  private static Void failed(Throwable cause) {
    throw new IllegalStateException("the informer did not start", cause);
  }

  @Override
  public void onAdd(Pod pod) {
    ObjectMeta of = pod.getMetadata();
    recorder.add(of.getNamespace(), of.getName(), of.getUid(), of.getResourceVersion());
  }

  @Override
  public void onUpdate(Pod before, Pod pod) {
    ObjectMeta of = pod.getMetadata();
    recorder.update(of.getNamespace(), of.getName(), of.getUid(), of.getResourceVersion());
  }

  @Override
  public void onDelete(Pod pod, boolean isLastStateUnknown) {
    recorder.delete(pod.getMetadata().getNamespace(), pod.getMetadata().getName());
  }
}
