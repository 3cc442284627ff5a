package io.watchgate.encode;

import com.google.protobuf.Timestamp;
import java.time.Duration;
import java.time.Instant;

/** Converter from java.time to protobuf. */
public final class ProtoTime {
  private ProtoTime() {}

  public static com.google.protobuf.Duration of(Duration duration) {
    return com.google.protobuf.Duration.newBuilder()
        .setSeconds(duration.toSeconds())
        .setNanos(duration.toNanosPart())
        .build();
  }

  public static Timestamp of(Instant instant) {
    return Timestamp.newBuilder()
        .setSeconds(instant.getEpochSecond())
        .setNanos(instant.getNano())
        .build();
  }
}
