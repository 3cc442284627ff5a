/**
 * Expressions over one object: paths into its JSON, templates made of them, conditions to wait for.
 * Pure functions of text and JSON; everything parsed is immutable; any thread.
 *
 * <p>The paths are a subset of kubectl's, chosen so that what is accepted means the same there:
 *
 * <pre>
 * path    = [ "$" | "@" ] step*                   {.metadata.name}
 * step    = "." name | "['" text "']"             {.metadata.labels.app\.kubernetes\.io/name}
 *         | "[" integer "]"                       {.spec.containers[0].image}; [-1] is the last one
 *         | "[*]" | ".*"                          {.spec.containers[*].image}
 *         | "[?(" filter ")]"                     {.status.conditions[?(@.type=="Ready")].status}
 * filter  = path | path ("==" | "!=") literal
 * literal = "text" | 'text' | number | true | false
 * </pre>
 *
 * The rest of kubectl's (range, slices, recursive descent) is refused with the column. Rejected: a
 * JSONPath library, which would accept more than kubectl does and mean other things by it.
 */
@NullMarked
package io.watchgate.path;

import org.jspecify.annotations.NullMarked;
