/**
 * Which objects a subscriber wants: namespaces, a label selector and a field selector, with the
 * grammar, the fields and the error texts of the Kubernetes apiserver.
 *
 * <p>A {@link io.watchgate.select.CompiledSelection} is made once per request: {@link
 * io.watchgate.select.LabelSelector} and {@link io.watchgate.select.FieldSelector} parse, {@link
 * io.watchgate.select.SelectableFields} knows what a type can be selected by and where in the
 * object each of these values stands. Everything then is immutable and safe for all threads. {@code
 * matches} runs for every event and feed, so the text to look for is kept as UTF-8 and compared
 * with the object's own bytes: nothing is decoded or allocated, escapes in the JSON and the
 * operators {@code >} and {@code <} apart.
 *
 * <p>Whatever selects the same by trivial rewriting (order, repetition, spelling of operators,
 * aliases of fields) has one canonical text, and equality goes by it: feeds are shared by it and
 * tokens name it. Nothing deeper is proved: {@code a=1,a!=2} and {@code a=1} differ.
 *
 * <p>A {@link io.watchgate.select.SelectionIndex} finds, of thousands of selections, those that a
 * change concerns. Each is filed under one {@code IndexKey}, a requirement that can be looked up; a
 * {@code IndexTables} leads from the bytes of an object's fields and labels to the {@code
 * PostingList}s of the anchors they fulfil, and only these are evaluated. It is used by one thread
 * at a time, as its owner sees to.
 *
 * <p>Bounds: those of {@link io.watchgate.select.CompiledSelection}, checked before or while a
 * selector is parsed, so that a hostile one costs no more than its 4 KiB.
 *
 * <p>The rules were taken from the sources of Kubernetes 1.36 (apimachinery's {@code labels} and
 * {@code fields}, {@code AddFieldLabelConversionFunc} and {@code ToSelectableFields} of each type)
 * and are held to the answers of a running apiserver by a recorded test. One difference is meant: a
 * label selector with the character U+0000 is refused, where the apiserver takes it for the end and
 * selects by what stands before it.
 *
 * <p>Rejected: asking the apiserver to check a selector (a request upstream for each subscription,
 * and none while it is away), and regular expressions for names (those of Java overflow the stack
 * on long input). For the index, looking up all requirements of a selection and counting which are
 * fulfilled, as matching engines do: a feed mostly has one that few objects fulfil, and evaluating
 * the rest costs less than counting.
 */
@NullMarked
package io.watchgate.select;

import org.jspecify.annotations.NullMarked;
