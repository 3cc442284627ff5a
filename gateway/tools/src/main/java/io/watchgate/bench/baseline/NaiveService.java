package io.watchgate.bench.baseline;

import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.watchgate.kube.KubeException;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.SnapshotStarted;
import io.watchgate.proto.v1.StreamOpened;
import io.watchgate.proto.v1.Synced;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** ListAndWatch as it is usually implemented with the generated stub. */
final class NaiveService extends WatchServiceGrpc.WatchServiceImplBase {
  private final Topics<Subscribers> topics;

  NaiveService(BaselineUpstream upstream) {
    topics = new Topics<>(upstream, _ -> new Subscribers());
  }

  /** An observer with its selected node. */
  private record Subscriber(StreamObserver<ListAndWatchResponse> observer, String node) {
    void send(ListAndWatchResponse response) {
      synchronized (observer) {
        observer.onNext(response);
      }
    }
  }

  /** Subscribers of one namespace. */
  private static final class Subscribers implements Topics.Listener {
    private final List<Subscriber> subscribers = new CopyOnWriteArrayList<>();

    @Override
    public void event(EventLine line) {
      for (Subscriber subscriber : subscribers) {
        if (subscriber.node.isEmpty() || subscriber.node.equals(line.node())) {
          subscriber.send(SharedEvent.newMessage(line));
        }
      }
    }
  }

  @Override
  public void listAndWatch(
      ListAndWatchRequest request, StreamObserver<ListAndWatchResponse> observer) {
    try {
      Subscribers topic = topics.of(request);
      Subscriber subscriber = new Subscriber(observer, Topics.node(request));
      ((ServerCallStreamObserver<ListAndWatchResponse>) observer)
          .setOnCancelHandler(() -> topic.subscribers.remove(subscriber));
      subscriber.send(
          ListAndWatchResponse.newBuilder().setOpened(StreamOpened.getDefaultInstance()).build());
      subscriber.send(
          ListAndWatchResponse.newBuilder()
              .setSnapshotStarted(SnapshotStarted.getDefaultInstance())
              .build());
      subscriber.send(
          ListAndWatchResponse.newBuilder().setSynced(Synced.getDefaultInstance()).build());
      topic.subscribers.add(subscriber);
    } catch (KubeException e) {
      observer.onError(Status.UNAVAILABLE.withDescription(e.getMessage()).asRuntimeException());
    }
  }
}
