package io.watchgate.bench;

/**
 * What the measured process has used so far; NaN what is not known.
 *
 * @param cpuSeconds since it began, but for compilers where those are known
 * @param compilerSeconds of a Java machine's compilers, since it began
 * @param residentBytes now
 * @param heapBytes of Java objects now, garbage included
 * @param directBytes outside the heap now, as far as Java and Netty count them
 * @param allocatedBytes of Java objects since it began
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

  /** What is not known here from there. */
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
