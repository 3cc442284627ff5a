@NullMarked
package io.watchgate.cli;

import org.jspecify.annotations.NullMarked;
