package io.watchgate.client;

import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.Selection;
import io.watchgate.proto.v1.WatchEvent;
import java.util.concurrent.CompletableFuture;

/** Compiled copy of the example in README.md. {@link ReadmeTest} compares the two. */
final class ReadmeExample {
  private final CompletableFuture<Void> over = new CompletableFuture<>();

  void run() {
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
