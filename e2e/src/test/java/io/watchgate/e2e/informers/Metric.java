package io.watchgate.e2e.informers;

/** Row of figures in a {@link Table}; its text is the title. */
public interface Metric {
  /** Returns the number of decimal places. */
  int digits();
}
