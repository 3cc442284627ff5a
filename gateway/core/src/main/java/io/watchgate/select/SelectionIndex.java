package io.watchgate.select;

import io.watchgate.json.KubeObject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Index of many selections that finds those that a change matches, without evaluating the others.
 * Not thread-safe.
 *
 * <p>A selection is indexed by one requirement that supports lookup: {@code metadata.name}, another
 * field with {@code =}, a label with {@code =} or {@code in}, or a namespace. The index uses the
 * first of these requirements whose values have few selections, otherwise the one with the fewest.
 * A value that many selections require probably occurs in many objects. A change is looked up by
 * both of its states, once for each field that some selection is indexed by, and once for each of
 * its labels, in their bytes. The selections found there are evaluated. Selections without such a
 * requirement are evaluated for every change. Selections that select everything match without
 * evaluation.
 *
 * <p><b>Memory.</b> An entry of the index costs little beside the selection itself, because
 * selections with the same list of values share one posting list. The worst case is a new list with
 * the 256 values that a selector may have: up to 40 KB, twice the selection itself. Removing a
 * selection frees all of its memory.
 *
 * @param <T> value of a selection; compared by {@code equals}
 */
public final class SelectionIndex<T> {

  /** Callback for the matching selections. */
  public interface Visitor<T> {
    /**
     * Receives one match.
     *
     * @param before whether the selection matches the old state
     * @param after whether it matches the new state; at least one of the two is true
     */
    void matched(T value, boolean before, boolean after);
  }

  /** Load of an index key that counts as zero: at most this many selections. */
  private static final int FREE_LOAD = 8;

  private final IndexTables<T> tables = new IndexTables<>();
  private final PostingList<T> everything = new PostingList<>(null);
  private final PostingList<T> unindexed = new PostingList<>(null);
  private Map<IndexKey, PostingList<T>> postings = new HashMap<>();
  private Map<T, PostingList.Entry<T>> entries = new HashMap<>();
  private int largest;
  private long matches;
  private long evaluated;
  private boolean matching;

  /** True if both states of the present change have the same key, or if there is only one state. */
  private boolean sameNamespace;

  /** True if both states of the present change have the same labels: most changes are of status. */
  private boolean sameLabels;

  /**
   * Adds a selection with its value. All selections of an index have one type and were made with
   * equal {@link SelectableFields}.
   *
   * @throws IllegalArgumentException if an equal value was added already
   */
  public void add(CompiledSelection selection, T value) {
    checkNotMatching();
    if (entries.containsKey(value)) {
      throw new IllegalArgumentException("added twice: " + value + " with " + selection);
    }
    entries.put(value, posting(selection).add(selection, value));
    largest = Math.max(largest, entries.size());
  }

  private PostingList<T> posting(CompiledSelection selection) {
    if (selection.selectsEverything()) {
      return everything;
    }
    IndexKey best = null;
    int least = Integer.MAX_VALUE;
    for (IndexKey key : IndexKey.of(selection)) {
      int load = Math.max(FREE_LOAD, tables.selectionCount(key));
      if (load < least) {
        best = key;
        least = load;
      }
    }
    return best == null ? unindexed : postings.computeIfAbsent(best, tables::open);
  }

  /**
   * Removes the selection that was added with this value.
   *
   * @throws IllegalArgumentException if there is none
   */
  public void remove(T value) {
    checkNotMatching();
    PostingList.Entry<T> entry = entries.remove(value);
    if (entry == null) {
      throw new IllegalArgumentException("never added: " + value);
    }
    PostingList<T> posting = entry.postingList;
    posting.remove(entry);
    IndexKey key = posting.indexKey;
    if (key != null && posting.entries.size() == 0) {
      postings.remove(key);
      tables.close(key, posting);
    }
    shrink();
  }

  /** Shrinks the maps: a HashMap keeps its largest capacity. */
  private void shrink() {
    if (largest > 16 && 4 * entries.size() <= largest) {
      entries = new HashMap<>(entries);
      postings = new HashMap<>(postings);
      largest = entries.size();
    }
  }

  /** Returns the number of selections. */
  public int size() {
    return entries.size();
  }

  /** Returns the number of evaluated selections: the cost so far. */
  long evaluated() {
    return evaluated;
  }

  /** Returns the number of allocated reference slots, which determines the memory of the index. */
  long slots() {
    return tables.slots()
        + everything.entries.capacity()
        + unindexed.entries.capacity()
        + 2L * largest;
  }

  /**
   * Visits every value whose selection matches one of two states of an object, in no order, once
   * each. Allocates nothing, unless a looked-up text has escapes.
   *
   * @param old null for a new object
   * @param now null for a deleted object
   * @param visitor must not change the index
   */
  public void match(
      @Nullable KubeObject old, @Nullable KubeObject now, Visitor<? super T> visitor) {
    checkNotMatching();
    if (old == null && now == null) {
      return;
    }
    matches++;
    matching = true;
    sameNamespace = old == null || now == null || old.hasSameKeyAs(now);
    sameLabels = old != null && now != null && old.hasSameLabelsAs(now);
    try {
      SwapRemoveList<PostingList.Entry<T>> always = everything.entries;
      for (int i = 0; i < always.size(); i++) {
        visitor.matched(always.get(i).value, old != null, now != null);
      }
      evaluate(unindexed, old, now, visitor);
      if (old != null) {
        lookUpFields(old, old, now, visitor);
        lookUpLabels(old, old, now, visitor);
      }
      if (now != null) {
        lookUpFields(now, old, now, visitor);
        if (!sameLabels) {
          lookUpLabels(now, old, now, visitor);
        }
      }
    } finally {
      matching = false;
    }
  }

  private void checkNotMatching() {
    if (matching) {
      throw new IllegalStateException("used by its own visitor");
    }
  }

  private void lookUpFields(
      KubeObject view,
      @Nullable KubeObject old,
      @Nullable KubeObject now,
      Visitor<? super T> visitor) {
    List<IndexTables.Values<T>> fields = tables.fields;
    for (int i = 0; i < fields.size(); i++) {
      IndexTables.Values<T> values = fields.get(i);
      visit(values.source().find(view, values.entries()), old, now, visitor);
    }
  }

  private void lookUpLabels(
      KubeObject view,
      @Nullable KubeObject old,
      @Nullable KubeObject now,
      Visitor<? super T> visitor) {
    if (tables.labels.size() > 0) {
      for (int label = view.firstLabel(); label >= 0; label = view.nextLabel(label)) {
        ByteTable<ValueEntry<T>> values = view.findByLabel(label, tables.labels);
        if (values != null) {
          visit(view.findByLabel(view.valueOf(label), values), old, now, visitor);
        }
      }
    }
  }

  private void visit(
      @Nullable ValueEntry<T> entry,
      @Nullable KubeObject old,
      @Nullable KubeObject now,
      Visitor<? super T> visitor) {
    if (entry == null) {
      return;
    }
    for (int i = 0; i < entry.links.size(); i++) {
      PostingList<T> posting = entry.links.get(i).postingList;
      if (posting.lastMatch != matches) {
        posting.lastMatch = matches;
        evaluate(posting, old, now, visitor);
      }
    }
  }

  private void evaluate(
      PostingList<T> posting,
      @Nullable KubeObject old,
      @Nullable KubeObject now,
      Visitor<? super T> visitor) {
    evaluated += posting.entries.size();
    for (int i = 0; i < posting.entries.size(); i++) {
      PostingList.Entry<T> entry = posting.entries.get(i);
      CompiledSelection selection = entry.selection;
      boolean namespaceKnown = entry.impliesNamespace && sameNamespace;
      boolean labelled = false;
      boolean before = false;
      if (old != null && (namespaceKnown || selection.isInNamespaces(old))) {
        labelled = selection.labels().matches(old);
        before = labelled && selection.fields().matches(old);
      }
      boolean after =
          now != null
              && (namespaceKnown || (labelled && sameNamespace) || selection.isInNamespaces(now))
              && ((labelled && sameLabels) || selection.labels().matches(now))
              && selection.fields().matches(now);
      if (before || after) {
        visitor.matched(entry.value, before, after);
      }
    }
  }
}
