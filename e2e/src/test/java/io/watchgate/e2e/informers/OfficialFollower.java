package io.watchgate.e2e.informers;

import static java.util.Objects.requireNonNull;

import io.kubernetes.client.informer.ResourceEventHandler;
import io.kubernetes.client.informer.SharedIndexInformer;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodList;
import io.kubernetes.client.util.CallGeneratorParams;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.KubeConfig;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import okhttp3.Call;
import org.jspecify.annotations.Nullable;

/** Main program with the official client's informer. Arguments: number of pods, kubeconfig. */
final class OfficialFollower implements ResourceEventHandler<V1Pod> {
  private final EventRecorder recorder;

  private OfficialFollower(EventRecorder recorder) {
    this.recorder = recorder;
  }

  public static void main(String[] arguments) throws Exception {
    MeasuredProgram.run(
        Integer.parseInt(arguments[0]),
        () -> {
          ApiClient client = client(Path.of(arguments[1]));
          return (namespace, recorder) -> follow(client, namespace, recorder);
        });
  }

  private static ApiClient client(Path kubeconfig) throws IOException {
    try (Reader text = Files.newBufferedReader(kubeconfig)) {
      KubeConfig config = KubeConfig.loadKubeConfig(text);
      config.setFile(kubeconfig.toFile());
      return ClientBuilder.kubeconfig(config).build().setReadTimeout(0);
    }
  }

  private static BooleanSupplier follow(
      ApiClient client, String namespace, EventRecorder recorder) {
    CoreV1Api pods = new CoreV1Api(client);
    SharedInformerFactory factory = new SharedInformerFactory(client);
    SharedIndexInformer<V1Pod> informer =
        factory.sharedIndexInformerFor(
            asked -> namespace.isEmpty() ? inAll(pods, asked) : inOne(pods, namespace, asked),
            V1Pod.class,
            V1PodList.class);
    informer.addEventHandler(new OfficialFollower(recorder));
    factory.startAllRegisteredInformers();
    return informer::hasSynced;
  }

  private static Call inAll(CoreV1Api pods, CallGeneratorParams asked) throws ApiException {
    return pods.listPodForAllNamespaces()
        .resourceVersion(asked.resourceVersion)
        .timeoutSeconds(asked.timeoutSeconds)
        .watch(asked.watch)
        .buildCall(null);
  }

  private static Call inOne(CoreV1Api pods, String namespace, CallGeneratorParams asked)
      throws ApiException {
    return pods.listNamespacedPod(namespace)
        .resourceVersion(asked.resourceVersion)
        .timeoutSeconds(asked.timeoutSeconds)
        .watch(asked.watch)
        .buildCall(null);
  }

  @Override
  public void onAdd(V1Pod pod) {
    V1ObjectMeta of = requireNonNull(pod.getMetadata());
    recorder.add(text(of.getNamespace()), text(of.getName()), text(of.getUid()), version(of));
  }

  @Override
  public void onUpdate(V1Pod before, V1Pod pod) {
    V1ObjectMeta of = requireNonNull(pod.getMetadata());
    recorder.update(text(of.getNamespace()), text(of.getName()), text(of.getUid()), version(of));
  }

  @Override
  public void onDelete(V1Pod pod, boolean isLastStateUnknown) {
    V1ObjectMeta of = requireNonNull(pod.getMetadata());
    recorder.delete(text(of.getNamespace()), text(of.getName()));
  }

  private static String version(V1ObjectMeta of) {
    return text(of.getResourceVersion());
  }

  private static String text(@Nullable String text) {
    return requireNonNull(text);
  }
}
