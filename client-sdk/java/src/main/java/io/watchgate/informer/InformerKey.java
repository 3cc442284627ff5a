package io.watchgate.informer;

import io.watchgate.client.WatchClient;
import io.watchgate.proto.v1.ChangeEncoding;
import io.watchgate.proto.v1.ListAndWatchRequest;
import java.util.List;

/**
 * Key of a shareable store: informers with equal keys may share one reflector.
 *
 * @param request watch request without the client's name
 * @param indexes all but the namespace index; equal if their functions are equal
 */
record InformerKey<T>(ListAndWatchRequest request, Decoder<T> decoder, List<Index<T>> indexes) {
  InformerKey {
    indexes = List.copyOf(indexes);
  }

  /** Returns a new reflector that is not started. */
  Reflector<T> reflector(WatchClient client, InformerOptions options) {
    boolean patches =
        request.getProjection().getChangeEncoding() == ChangeEncoding.CHANGE_ENCODING_PATCH;
    String name = "informer of " + options.name();
    ProblemListeners problems = new ProblemListeners(name);
    EventDecoder<T> reading = new EventDecoder<>(decoder, patches, indexes, problems);
    return new Reflector<>(
        client,
        name,
        request.toBuilder().setClientName(options.clientName()).build(),
        new UpdateApplier<>(Snapshot.empty(indexes), reading),
        problems);
  }
}
