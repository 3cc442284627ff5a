/** Pages for operators, and the authorization of requests for them. */
@NullMarked
package io.watchgate.ops.pages;

import org.jspecify.annotations.NullMarked;
