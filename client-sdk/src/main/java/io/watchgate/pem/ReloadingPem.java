package io.watchgate.pem;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Something made of PEM that others may replace at any time. It is read anew for each request, some
 * kilobytes beside a list or a watch of minutes: times of files are too coarse, and lie where a
 * volume is switched by a link. Thread-safe.
 */
public final class ReloadingPem<T> {
  private static final Logger log = LoggerFactory.getLogger(ReloadingPem.class);

  private final String what;
  private final List<PemSource> sources;
  private final Parser<T> parser;
  private List<String> read = List.of();
  private @Nullable T held;

  /** Volatile: who asks is not to wait for a file system that hangs. */
  private volatile String problem = "";

  /**
   * Nothing is read yet.
   *
   * @param what in words, for the log: {@code the client certificate of /home/ann/.kube/config}
   */
  public ReloadingPem(String what, List<PemSource> sources, Parser<T> parser) {
    this.what = what;
    this.sources = sources;
    this.parser = parser;
  }

  /** Makes something of the texts of all sources. */
  public interface Parser<T> {
    T parse(List<String> texts) throws PemException;
  }

  /**
   * The value as it is now, the same object as long as no source changes.
   *
   * @throws IOException if it cannot be had and never could
   */
  public synchronized T current() throws IOException {
    try {
      List<String> texts = new ArrayList<>();
      for (PemSource source : sources) {
        texts.add(source.read());
      }
      T known = held;
      if (known != null && texts.equals(read)) {
        problem = "";
        return known;
      }
      T made = parser.parse(texts);
      if (known != null) {
        log.info("{} was replaced; new connections are made with it", what);
      }
      held = made;
      read = texts;
      problem = "";
      return made;
    } catch (IOException | PemException e) {
      // The files may be in the middle of a renewal, and the old value may still be good.
      return heldInstead(e);
    }
  }

  /** Reason why the present content is not used; empty: it is, or it was not read yet. */
  public String problem() {
    return problem;
  }

  private T heldInstead(Exception e) throws IOException {
    String told = String.valueOf(e.getMessage());
    T known = held;
    if (known == null) {
      throw new IOException(what + ": " + told, e);
    }
    if (!told.equals(problem)) {
      problem = told;
      log.warn("{} was not reloaded; the previous one stays in use: {}", what, told);
    }
    return known;
  }
}
