package io.watchgate.bench;

/**
 * Order and time of the writes. Writes are ordered by number, and thus by round and then by object.
 * They begin with round 1, because objects are created with the numbers of round 0. Each lane has
 * every {@code lanes}-th object.
 *
 * @param lanes number of writing threads, at most {@code objects}
 * @param begin scheduled time of the first write, in nanoseconds of the run
 */
record Schedule(int objects, int lanes, long begin, BenchPlan.Pace.Paced pace) {

  /**
   * Returns the number of a lane's next write.
   *
   * @param step number of writes that the lane has made before
   */
  long number(int lane, long step) {
    int own = (objects - lane - 1) / lanes + 1;
    return (step / own + 1) * objects + lane + (step % own) * lanes;
  }

  /** Returns the scheduled time of a write, in nanoseconds of the run. */
  long scheduledNanos(long number) {
    double past = number - objects;
    double early = Math.min(past, pace.warmUpRate() * pace.warmUp().toNanos() / 1e9);
    return begin + (long) (early * 1e9 / pace.warmUpRate() + (past - early) * 1e9 / pace.rate());
  }
}
