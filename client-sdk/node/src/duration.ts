import type { Duration } from "@bufbuild/protobuf/wkt";

/** Returns the milliseconds of a duration, 0 without one. */
export function milliseconds(duration: Duration | undefined): number {
  return duration ? Number(duration.seconds) * 1000 + duration.nanos / 1e6 : 0;
}
