/**
 * What a table says of an object: the columns of its type and their cells, as {@code kubectl get}
 * prints them. Pure functions of the object's JSON and the present; any thread. The HTTP side makes
 * the server's {@code Table} of them, the command line its rows, so that both say the same.
 *
 * <p>Rejected: models of every type, for a table looks at ten fields of an object, and what it does
 * not know has NAME and AGE.
 */
@NullMarked
package io.watchgate.table;

import org.jspecify.annotations.NullMarked;
