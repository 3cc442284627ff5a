package io.watchgate.javadoc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.ByteString;
import io.kubernetes.client.openapi.models.V1Pod;
import io.watchgate.client.WatchClient;
import io.watchgate.client.WatchUpdate;
import io.watchgate.decoder.OfficialDecoder;
import io.watchgate.informer.Decoder;
import io.watchgate.informer.DeletionReason;
import io.watchgate.informer.Handler;
import io.watchgate.informer.HandlerSettings;
import io.watchgate.informer.Informer;
import io.watchgate.informer.Labels;
import io.watchgate.informer.StoredObject;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.Selection;
import io.watchgate.proto.v1.WatchEvent;
import io.watchgate.testing.FakeGateway;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Compiled copies of the Java examples in README.md and docs/how-to/java.md. */
@SuppressWarnings("unused")
final class PageExamples {
  private final CompletableFuture<Void> over = new CompletableFuture<>();

  void inform(WatchClient client) throws Exception {
    Informer<ByteString> pods = Informer.of(client, "pods", Decoder.raw()).start();
    pods.awaitSynced(Duration.ofSeconds(30));
    pods.snapshot().inNamespace("shop").forEach(pod -> System.out.println(pod.key()));
  }

  void index(WatchClient client) throws Exception {
    Informer<V1Pod> pods =
        Informer.of(client, "pods", OfficialDecoder.of(V1Pod.class)) // see "Decode"
            .inNamespace("shop")
            .inNamespace("billing")
            .withLabels("tier=backend")
            .index("node", pod -> Stream.ofNullable(pod.value().getSpec().getNodeName()).toList())
            .start();
    pods.awaitSynced(Duration.ofSeconds(30));
    List<StoredObject<V1Pod>> onNode7 = pods.snapshot().byIndex("node", "node-7");
  }

  void handle(WatchClient client) {
    Informer<ByteString> pods =
        Informer.of(client, "pods", Decoder.raw())
            .handler(
                new Handler<ByteString>() {
                  @Override
                  public void onAdd(StoredObject<ByteString> pod) {
                    System.out.println("added " + pod.key());
                  }

                  @Override
                  public void onUpdate(
                      StoredObject<ByteString> before, StoredObject<ByteString> after) {
                    System.out.println("changed " + after.key());
                  }

                  @Override
                  public void onDelete(StoredObject<ByteString> last, DeletionReason reason) {
                    System.out.println("deleted " + last.key() + ", " + reason);
                  }
                },
                HandlerSettings.DEFAULT.conflating())
            .start();
  }

  void decode(WatchClient client) {
    Informer<V1Pod> pods = Informer.of(client, "pods", OfficialDecoder.of(V1Pod.class)).start();
    Informer<Map<String, String>> labels =
        Informer.of(client, "pods", Labels::ofJson).including("/metadata/labels").start();
  }

  void connect() throws IOException {
    WatchClient client =
        WatchClient.toEach("watchgate-replicas.watchgate.svc", 7443)
            .tls(Path.of("/etc/watchgate/ca.crt"))
            .tlsServerName("watchgate.watchgate.svc")
            .bearerTokenFile(Path.of("/var/run/secrets/watchgate/token"))
            .build();
  }

  void test() throws Exception {
    try (FakeGateway gateway = FakeGateway.start();
        WatchClient client =
            WatchClient.to("fake", 1).transport((host, port) -> gateway.channel()).build()) {
      BlockingQueue<String> deleted = new LinkedBlockingQueue<>();
      gateway.put("shop", "web", "{\"metadata\":{\"labels\":{\"app\":\"web\"}}}");
      Informer<ByteString> pods =
          Informer.of(client, "pods", Decoder.raw())
              .handler(
                  new Handler<ByteString>() {
                    @Override
                    public void onDelete(StoredObject<ByteString> last, DeletionReason reason) {
                      deleted.add(last.key().toString());
                    }
                  })
              .start();
      pods.awaitSynced(Duration.ofSeconds(30));
      gateway.delete("shop", "web");
      assertEquals("shop/web", deleted.poll(30, TimeUnit.SECONDS)); // a handler has its own thread
      pods.await(snapshot -> snapshot.size() == 0, Duration.ofSeconds(30));
      gateway.cut(); // the connection breaks; the client resumes by itself
    }
  }

  void watch() {
    ListAndWatchRequest request =
        ListAndWatchRequest.newBuilder()
            .setSelection(
                Selection.newBuilder()
                    .setResourceType(ResourceType.newBuilder().setResource("pods"))
                    .setLabelSelector("app=web"))
            .build();
    try (WatchClient client = WatchClient.to("127.0.0.1", 7443).build()) {
      client.watch(
          request,
          update -> {
            if (update instanceof WatchUpdate.SnapshotObjects snapshot) {
              snapshot.objects().forEach(event -> print(event));
            } else if (update instanceof WatchUpdate.Changes changes) {
              changes.events().forEach(event -> print(event));
            } else if (update instanceof WatchUpdate.Ended ended) {
              over.completeExceptionally(new IllegalStateException(ended.error().message()));
            }
          });
      over.join();
    }
  }

  private void print(WatchEvent event) {
    System.out.println(event.getType() + " " + event.getKey().getName());
  }
}
