package io.watchgate.pem;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Value parsed from PEM sources that may be replaced at any time. {@link #current} reads the
 * sources again. A client calls it for each request, since a few kilobytes are cheap compared to a
 * list or a watch of minutes; a server each {@link #SERVER_INTERVAL}. File times are too coarse,
 * and wrong if a volume switches a symbolic link. Thread-safe.
 */
public final class ReloadingPem<T> {
  /** Interval at which servers read their certificates and keys again. */
  public static final Duration SERVER_INTERVAL = Duration.ofSeconds(10);

  private static final Logger log = LoggerFactory.getLogger(ReloadingPem.class);

  private final String description;
  private final List<PemSource> sources;
  private final Parser<T> parser;
  private List<String> read = List.of();
  private @Nullable T current;

  /** Volatile, so that a reader of the problem does not wait for a file system that hangs. */
  private volatile String problem = "";

  /**
   * Creates the holder without reading the sources.
   *
   * @param description name for the log: {@code the client certificate of /home/ann/.kube/config}
   */
  public ReloadingPem(String description, List<PemSource> sources, Parser<T> parser) {
    this.description = description;
    this.sources = sources;
    this.parser = parser;
  }

  /** Parser of the texts of all sources. */
  public interface Parser<T> {
    T parse(List<String> texts) throws PemException;
  }

  /**
   * Returns the current value, the same object until a source changes.
   *
   * @throws IOException if the value was never readable
   */
  public synchronized T current() throws IOException {
    try {
      List<String> texts = new ArrayList<>();
      for (PemSource source : sources) {
        texts.add(source.read());
      }
      T known = current;
      if (known != null && texts.equals(read)) {
        problem = "";
        return known;
      }
      T made = parser.parse(texts);
      if (known != null) {
        log.info("{} was replaced; new connections are made with it", description);
      }
      current = made;
      read = texts;
      problem = "";
      return made;
    } catch (IOException | PemException e) {
      // The files may be in the middle of a renewal, and the previous value may still be valid.
      return previousValue(e);
    }
  }

  /**
   * Returns the reason why the current content is not used; empty if it is used or was not read
   * yet.
   */
  public String problem() {
    return problem;
  }

  private T previousValue(Exception e) throws IOException {
    String message = String.valueOf(e.getMessage());
    T known = current;
    if (known == null) {
      throw new IOException(description + ": " + message, e);
    }
    if (!message.equals(problem)) {
      problem = message;
      log.warn("{} was not reloaded; the previous one stays in use: {}", description, message);
    }
    return known;
  }
}
