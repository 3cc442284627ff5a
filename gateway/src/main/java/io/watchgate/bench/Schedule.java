package io.watchgate.bench;

/**
 * Which write comes when: number by number, object by object, round by round, from round 1 on,
 * since objects are created with the numbers of round 0. Each lane has every {@code lanes}-th
 * object.
 *
 * @param lanes at most as many as {@code objects}
 * @param begin when the first write is meant to be made, in nanoseconds of the run
 */
record Schedule(int objects, int lanes, long begin, BenchPlan.Pace.Paced pace) {

  /**
   * The number of a lane's next write.
   *
   * @param step how many it has made before
   */
  long number(int lane, long step) {
    int own = (objects - lane - 1) / lanes + 1;
    return (step / own + 1) * objects + lane + (step % own) * lanes;
  }

  /** When a write is meant to be made, in nanoseconds of the run. */
  long intended(long number) {
    double past = number - objects;
    double early = Math.min(past, pace.warmUpRate() * pace.warmUp().toNanos() / 1e9);
    return begin + (long) (early * 1e9 / pace.warmUpRate() + (past - early) * 1e9 / pace.rate());
  }
}
