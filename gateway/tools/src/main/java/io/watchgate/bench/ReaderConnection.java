package io.watchgate.bench;

import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** A connection with its streams, and the state that they share on its event loop. */
final class ReaderConnection {
  private final ManagedChannel channel;
  private final LatencyRecorder recorder;
  private final InFlightLimit.Share share;
  private final Consumer<Status> whenReaderEnds;
  private final WriteStamp writeStamp = new WriteStamp();
  private final MethodDescriptor<byte[], RawResponseMarshaller> method =
      StreamRequests.method(new RawResponseMarshaller());
  private final List<Reader> readers = new ArrayList<>();

  /**
   * @param whenReaderEnds called on the event loop for each stream that ended by itself
   */
  ReaderConnection(
      ManagedChannel channel,
      LatencyRecorder recorder,
      InFlightLimit.Share share,
      Consumer<Status> whenReaderEnds) {
    this.channel = channel;
    this.recorder = recorder;
    this.share = share;
    this.whenReaderEnds = whenReaderEnds;
  }

  /** Opens a stream. Called only on the thread that executes the run. */
  Reader open(Reader.Role role, DeliveryTracker tracker, byte[] request) {
    Reader reader = new Reader(role, tracker, this);
    readers.add(reader);
    reader.open(channel, method, request);
    return reader;
  }

  ManagedChannel channel() {
    return channel;
  }

  LatencyRecorder recorder() {
    return recorder;
  }

  InFlightLimit.Share share() {
    return share;
  }

  WriteStamp writeStamp() {
    return writeStamp;
  }

  void readerEnded(Status status) {
    whenReaderEnds.accept(status);
  }

  void close() {
    readers.forEach(Reader::close);
    channel.shutdownNow();
  }
}
