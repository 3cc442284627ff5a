package io.watchgate.check.run;

import com.google.protobuf.ByteString;
import com.google.protobuf.Timestamp;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.watchgate.check.CheckedVersion;
import io.watchgate.check.RecordedEvent;
import io.watchgate.check.RecordedEvent.Removal;
import io.watchgate.check.RecordedKey;
import io.watchgate.check.RecordedKind;
import io.watchgate.check.RecordedMessage;
import io.watchgate.check.RecordedSignal;
import io.watchgate.check.Session;
import io.watchgate.check.StartSpec;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.RemovalReason;
import io.watchgate.proto.v1.WatchEvent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Recorder of one stream. gRPC calls it from one thread at a time; any thread may query it. */
final class StreamRecorder
    implements ClientResponseObserver<ListAndWatchRequest, ListAndWatchResponse> {
  private static final Metadata.Key<String> REASON =
      Metadata.Key.of("watchgate-reason", Metadata.ASCII_STRING_MARSHALLER);
  private static final Metadata.Key<String> ACTION =
      Metadata.Key.of("watchgate-action", Metadata.ASCII_STRING_MARSHALLER);

  private final String name;
  private final String address;
  private final SubscriptionSpec spec;
  private final StartSpec start;
  private final CheckedVersion minimum;
  private final PatchBase patchBase;
  private final LongSupplier nanoTime;
  private final List<RecordedMessage> messages = new ArrayList<>();
  private @Nullable ClientCallStreamObserver<ListAndWatchRequest> call;
  private ByteString token = ByteString.EMPTY;
  private CheckedVersion version = CheckedVersion.NONE;
  private String history = "";
  private boolean paused;
  private boolean requestPending;
  private boolean closed;
  private final long startNanos;
  private long lastReceived;
  private String id = "";
  private String endText = "";
  private RecordedMessage.@Nullable Ended ended;

  /**
   * @param address authority of the gateway, or of a proxy in front of it
   */
  StreamRecorder(
      String name,
      String address,
      SubscriptionSpec spec,
      StartSpec start,
      CheckedVersion minimum,
      PatchBase patchBase) {
    this(name, address, spec, start, minimum, patchBase, System::nanoTime);
  }

  /**
   * @param nanoTime clock, which tests set
   */
  StreamRecorder(
      String name,
      String address,
      SubscriptionSpec spec,
      StartSpec start,
      CheckedVersion minimum,
      PatchBase patchBase,
      LongSupplier nanoTime) {
    this.name = name;
    this.address = address;
    this.spec = spec;
    this.start = start;
    this.minimum = minimum;
    this.patchBase = patchBase;
    this.nanoTime = nanoTime;
    this.startNanos = nanoTime.getAsLong();
    this.lastReceived = startNanos;
  }

  @Override
  public synchronized void beforeStart(ClientCallStreamObserver<ListAndWatchRequest> observer) {
    call = observer;
    observer.disableAutoRequestWithInitial(1);
  }

  @Override
  public synchronized void onNext(ListAndWatchResponse response) {
    if (closed) {
      return;
    }
    lastReceived = nanoTime.getAsLong();
    try {
      add(response);
    } catch (IllegalArgumentException e) {
      // For example, text that is not a number or an unknown enum value. A check judges it.
      messages.add(
          new RecordedMessage.Unreadable(nanoTime.getAsLong(), String.valueOf(e.getMessage())));
    }
    if (paused) {
      requestPending = true;
    } else {
      requestNext();
    }
  }

  private void add(ListAndWatchResponse response) {
    RecordedSignal signal = signal(response);
    if (signal instanceof RecordedSignal.SnapshotStarted) {
      patchBase.startSnapshot();
    }
    List<RecordedEvent> events = new ArrayList<>();
    response.getEventsList().forEach(event -> events.add(event(event)));
    CheckedVersion position =
        response.getResourceVersion().isEmpty()
            ? CheckedVersion.NONE
            : CheckedVersion.of(response.getResourceVersion());
    messages.add(
        new RecordedMessage.Response(
            nanoTime.getAsLong(),
            events,
            position,
            HexFormat.of().formatHex(response.getResumeToken().toByteArray()),
            signal));
    if (!response.getResumeToken().isEmpty()) {
      token = response.getResumeToken();
      version = position;
      patchBase.commit();
    }
  }

  private void requestNext() {
    if (call != null) {
      call.request(1);
    }
  }

  private RecordedSignal signal(ListAndWatchResponse response) {
    return switch (response.getSignalCase()) {
      case OPENED -> {
        setHistory(response.getOpened().getHistoryId());
        id =
            "stream_id %s, server_id %s"
                .formatted(response.getOpened().getStreamId(), response.getOpened().getServerId());
        yield new RecordedSignal.Opened(response.getOpened().getHistoryId());
      }
      case RESUMED -> RecordedSignal.Plain.RESUMED;
      case SNAPSHOT_STARTED -> {
        var started = response.getSnapshotStarted();
        setHistory(started.getHistoryId());
        yield new RecordedSignal.SnapshotStarted(
            RecordedSignal.SnapshotStarted.Reason.valueOf(
                started.getReason().name().replace("SNAPSHOT_REASON_", "")),
            started.getHistoryId());
      }
      case SYNCED -> new RecordedSignal.Synced(response.getSynced().getObjects());
      case NET_EFFECT_STARTED ->
          new RecordedSignal.NetEffectStarted(
              response.getNetEffectStarted().getReason().name().replace("NET_EFFECT_REASON_", ""));
      case BOOKMARK -> {
        Timestamp verified = response.getBookmark().getVerifiedAt();
        yield new RecordedSignal.Bookmark(
            response.getBookmark().hasVerifiedAt()
                ? Optional.of(Instant.ofEpochSecond(verified.getSeconds(), verified.getNanos()))
                : Optional.empty());
      }
      case GOING_AWAY -> RecordedSignal.Plain.GOING_AWAY;
      case SIGNAL_NOT_SET -> RecordedSignal.Plain.NONE;
    };
  }

  private void setHistory(String id) {
    if (history.isEmpty()) {
      history = id;
    }
  }

  private RecordedEvent event(WatchEvent event) {
    RecordedKey key = new RecordedKey(event.getKey().getNamespace(), event.getKey().getName());
    RecordedKind kind = RecordedKind.valueOf(event.getType().name().replace("EVENT_TYPE_", ""));
    return new RecordedEvent(
        kind,
        key,
        event.getKey().getUid(),
        CheckedVersion.of(event.getResourceVersion()),
        patchBase.apply(key, kind, event),
        removal(event.getRemovalReason()));
  }

  private static Removal removal(RemovalReason reason) {
    return switch (reason) {
      case REMOVAL_REASON_OBJECT_DELETED -> Removal.OBJECT_DELETED;
      case REMOVAL_REASON_NO_LONGER_MATCHES -> Removal.NO_LONGER_MATCHES;
      case REMOVAL_REASON_INFERRED -> Removal.INFERRED;
      case REMOVAL_REASON_UNSPECIFIED, UNRECOGNIZED -> Removal.NONE;
    };
  }

  @Override
  public synchronized void onError(Throwable error) {
    end(Status.fromThrowable(error), Status.trailersFromThrowable(error));
  }

  @Override
  public synchronized void onCompleted() {
    end(Status.OK, null);
  }

  private void end(Status status, @Nullable Metadata trailers) {
    if (closed) {
      return;
    }
    closed = true;
    patchBase.rollBack();
    ended =
        new RecordedMessage.Ended(
            nanoTime.getAsLong(),
            status.getCode().name(),
            text(trailers, REASON),
            text(trailers, ACTION));
    messages.add(ended);
    endText = String.valueOf(status.getDescription());
  }

  private static String text(@Nullable Metadata trailers, Metadata.Key<String> key) {
    String value = trailers == null ? null : trailers.get(key);
    return value == null ? "" : value;
  }

  /** Cancels the stream at its current point. */
  synchronized void cancel() {
    if (!closed) {
      closed = true;
      patchBase.rollBack();
      if (call != null) {
        call.cancel("enough", null);
      }
    }
  }

  /** Stops requesting messages until {@link #resume}. */
  synchronized void pause() {
    paused = true;
  }

  synchronized void resume() {
    paused = false;
    lastReceived = nanoTime.getAsLong();
    if (requestPending) {
      requestPending = false;
      requestNext();
    }
  }

  /** Returns whether the stream is open and read, but has received nothing for this time. */
  synchronized boolean isSilentFor(long nanos) {
    return !closed && !paused && nanoTime.getAsLong() - lastReceived > nanos;
  }

  /** Returns the end of the stream by the server, if there was one. */
  synchronized Optional<RecordedMessage.Ended> ended() {
    return Optional.ofNullable(ended);
  }

  /** Returns the text with which the server ended the stream; empty: none. */
  synchronized String endText() {
    return endText;
  }

  /**
   * Returns, for a person, the identity and start of the stream, and a summary of its messages with
   * the last one.
   */
  synchronized String describe() {
    long now = nanoTime.getAsLong();
    return "%s at %s (%s), %s: began %s %s ago%s; heard %s; %s"
        .formatted(
            name,
            address,
            id.isEmpty() ? "never opened" : id,
            spec,
            start,
            seconds(now - startNanos),
            minimum.equals(CheckedVersion.NONE) ? "" : ", with minimum_resource_version " + minimum,
            summary(now),
            ended != null
                ? "%s, %s ago: %s".formatted(ended, seconds(now - ended.nanos()), endText)
                : closed ? "left by the subscriber" : paused ? "open, not read" : "open and read");
  }

  private String summary(long now) {
    SortedMap<String, Integer> counts = new TreeMap<>();
    int events = 0;
    String last = "nothing";
    for (RecordedMessage one : messages) {
      if (one instanceof RecordedMessage.Response response) {
        String signal = response.signal().toString().replaceFirst(",.*", "");
        counts.merge(
            response.signal() == RecordedSignal.Plain.NONE ? "responses" : signal, 1, Integer::sum);
        events += response.events().size();
        last =
            "%s ago: %s with %d events, position %s"
                .formatted(
                    seconds(now - one.nanos()),
                    response.signal() == RecordedSignal.Plain.NONE
                        ? "a response"
                        : response.signal(),
                    response.events().size(),
                    response.version().equals(CheckedVersion.NONE) ? "none" : response.version());
      }
    }
    return counts.isEmpty()
        ? "nothing"
        : "%s, %d events in all, last %s".formatted(counts, events, last);
  }

  private static String seconds(long nanos) {
    return String.format(Locale.ROOT, "%.1f s", nanos / 1e9);
  }

  /** Returns the last token; empty: none was received. */
  synchronized ByteString token() {
    return token;
  }

  /** Returns the resourceVersion of the last token; NONE: none was received. */
  synchronized CheckedVersion version() {
    return version;
  }

  /** Returns the history ID; empty: unknown. */
  synchronized String history() {
    return history;
  }

  /** Returns whether a position was received at which another stream can resume. */
  synchronized boolean hasPosition() {
    return !token.isEmpty();
  }

  synchronized Session session(String ofHistory) {
    return new Session(
        name,
        new Session.Request(spec.query(), spec.projection(), spec.policy(), start, minimum),
        ofHistory,
        messages);
  }
}
