package io.watchgate.bench;

/**
 * Resource usage of the measured process; NaN if unknown.
 *
 * @param cpuSeconds CPU time since the start, without JIT compilers if their time is known
 * @param compilerSeconds CPU time of the JIT compilers since the start
 * @param residentBytes current resident memory
 * @param heapBytes current size of Java objects, including garbage
 * @param directBytes current memory outside the heap that Java and Netty count
 * @param allocatedBytes bytes of Java objects allocated since the start
 */
record ServerUsage(
    double cpuSeconds,
    double compilerSeconds,
    double residentBytes,
    double heapBytes,
    double directBytes,
    double allocatedBytes) {
  static final ServerUsage UNKNOWN =
      new ServerUsage(Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN);

  /** Returns these values, with unknown ones replaced by those of {@code other}. */
  ServerUsage or(ServerUsage other) {
    return new ServerUsage(
        known(cpuSeconds, other.cpuSeconds),
        known(compilerSeconds, other.compilerSeconds),
        known(residentBytes, other.residentBytes),
        known(heapBytes, other.heapBytes),
        known(directBytes, other.directBytes),
        known(allocatedBytes, other.allocatedBytes));
  }

  private static double known(double value, double otherwise) {
    return Double.isNaN(value) ? otherwise : value;
  }
}
