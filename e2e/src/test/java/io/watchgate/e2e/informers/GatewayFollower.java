package io.watchgate.e2e.informers;

import io.fabric8.kubernetes.api.model.Pod;
import io.kubernetes.client.openapi.models.V1Pod;
import io.watchgate.client.WatchClient;
import io.watchgate.decoder.Fabric8Decoder;
import io.watchgate.decoder.OfficialDecoder;
import io.watchgate.informer.Decoder;
import io.watchgate.informer.DeletionReason;
import io.watchgate.informer.Handler;
import io.watchgate.informer.Informer;
import io.watchgate.informer.InformerBuilder;
import io.watchgate.informer.StoredObject;
import io.watchgate.proto.v1.ObjectView;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;

/**
 * Main program with the SDK's informer. Arguments: number of pods, the gateway's port, the file of
 * its authority, and the decoder.
 */
final class GatewayFollower {
  private GatewayFollower() {}

  public static void main(String[] arguments) throws Exception {
    MeasuredProgram.run(
        Integer.parseInt(arguments[0]),
        () -> {
          WatchClient client =
              WatchClient.to("127.0.0.1", Integer.parseInt(arguments[1]))
                  .tls(Path.of(arguments[2]))
                  .build();
          return switch (arguments[3]) {
            case "raw" -> new Raw(client);
            case "fabric8" -> new ToFabric8(client);
            case "official" -> new ToOfficial(client);
            default -> throw new IllegalArgumentException(arguments[3]);
          };
        });
  }

  // Each decoder is used in a separate class, because the libraries of the others are not on the
  // class path.

  private record Raw(WatchClient client) implements MeasuredProgram.Client {
    @Override
    public BooleanSupplier follow(String namespace, EventRecorder recorder) {
      return GatewayFollower.follow(
          Informer.of(client, "pods", Decoder.raw()), namespace, recorder);
    }
  }

  private record ToFabric8(WatchClient client) implements MeasuredProgram.Client {
    @Override
    public BooleanSupplier follow(String namespace, EventRecorder recorder) {
      return GatewayFollower.follow(
          Informer.of(client, "pods", Fabric8Decoder.of(Pod.class)), namespace, recorder);
    }
  }

  /** Without managed fields, which the official client does not keep either. */
  private record ToOfficial(WatchClient client) implements MeasuredProgram.Client {
    @Override
    public BooleanSupplier follow(String namespace, EventRecorder recorder) {
      return GatewayFollower.follow(
          Informer.of(client, "pods", OfficialDecoder.of(V1Pod.class))
              .view(ObjectView.OBJECT_VIEW_NO_MANAGED_FIELDS),
          namespace,
          recorder);
    }
  }

  private static <T> BooleanSupplier follow(
      InformerBuilder<T> builder, String namespace, EventRecorder recorder) {
    if (!namespace.isEmpty()) {
      builder.inNamespace(namespace);
    }
    Informer<T> informer =
        builder
            .onProblem(problem -> System.err.println(problem.text()))
            .handler(new RecordingHandler<T>(recorder))
            .start();
    return informer::isSynced;
  }

  private record RecordingHandler<T>(EventRecorder recorder) implements Handler<T> {
    @Override
    public void onAdd(StoredObject<T> pod) {
      recorder.add(pod.key().namespace(), pod.key().name(), pod.uid(), pod.resourceVersion());
    }

    @Override
    public void onUpdate(StoredObject<T> before, StoredObject<T> pod) {
      recorder.update(pod.key().namespace(), pod.key().name(), pod.uid(), pod.resourceVersion());
    }

    @Override
    public void onDelete(StoredObject<T> last, DeletionReason removal) {
      recorder.delete(last.key().namespace(), last.key().name());
    }
  }
}
