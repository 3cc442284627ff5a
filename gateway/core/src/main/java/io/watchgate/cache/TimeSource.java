package io.watchgate.cache;

import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Source of time. Durations are measured on {@code nanos}, which is monotonic; {@code wall} is for
 * timestamps that users and other machines read.
 */
public record TimeSource(InstantSource wall, LongSupplier nanos) {
  public static final TimeSource SYSTEM = new TimeSource(InstantSource.system(), System::nanoTime);

  public Instant now() {
    return wall.instant();
  }

  public long nanoTime() {
    return nanos.getAsLong();
  }

  /** Returns the present reading of both clocks. */
  public Reading reading() {
    return new Reading(now(), nanoTime());
  }

  /** Reading of the wall clock and of the monotonic clock, on which durations are measured. */
  public record Reading(Instant wall, long nanos) {
    /** Returns the later of two readings; null stands for none. */
    public static @Nullable Reading later(@Nullable Reading one, @Nullable Reading other) {
      return one == null || (other != null && other.nanos - one.nanos > 0) ? other : one;
    }
  }
}
