/**
 * Selections of objects for subscribers: namespaces, a label selector and a field selector, with
 * the grammar, the fields and the error texts of the Kubernetes apiserver.
 *
 * <p>A {@link io.watchgate.select.CompiledSelection} is made once per request. {@link
 * io.watchgate.select.LabelSelector} and {@link io.watchgate.select.FieldSelector} parse the
 * selectors. {@link io.watchgate.select.SelectableFields} has the selectable fields of a type and
 * their paths in the object. All of these are immutable and thread-safe. {@code matches} runs for
 * every event and feed, so the text to compare is kept as UTF-8 and compared with the object's own
 * bytes. Nothing is decoded or allocated, except for escapes in the JSON and the operators {@code
 * >} and {@code <}.
 *
 * <p>Selections that differ only in order, repetition, spelling of operators or aliases of fields
 * have one canonical text. Equality is defined by this text: it is the key of shared feeds and part
 * of tokens. No deeper equivalence is recognized: {@code a=1,a!=2} and {@code a=1} differ.
 *
 * <p>A {@link io.watchgate.select.SelectionIndex} finds, among thousands of selections, the
 * selections that a change may match. Each selection is indexed by one {@code IndexKey}, a
 * requirement that supports lookup. {@code IndexTables} maps the bytes of an object's fields and
 * labels to the {@code PostingList}s of matching index keys, and only their selections are
 * evaluated. The index is used by one thread at a time; its caller ensures that.
 *
 * <p>Bounds: the limits of {@link io.watchgate.select.CompiledSelection}, checked before or while a
 * selector is parsed, so that a hostile selector costs no more than its 4 KiB.
 *
 * <p>The rules were taken from the sources of Kubernetes 1.36 (apimachinery's {@code labels} and
 * {@code fields}, {@code AddFieldLabelConversionFunc} and {@code ToSelectableFields} of each type).
 * A recorded test compares them with the answers of a running apiserver. One difference is
 * intended: a label selector with the character U+0000 is refused, but the apiserver takes this
 * character for the end and selects by the text before it.
 *
 * <p>Rejected: to have the apiserver check a selector, because that costs one request upstream for
 * each subscription, and allows no subscription during an outage. Regular expressions for names,
 * because those of Java overflow the stack on long input. For the index, to look up all
 * requirements of a selection and count the fulfilled ones, as matching engines do: a feed mostly
 * has one requirement that few objects fulfil, and evaluating the rest costs less than counting.
 */
@NullMarked
package io.watchgate.select;

import org.jspecify.annotations.NullMarked;
