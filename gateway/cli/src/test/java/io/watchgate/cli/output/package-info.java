@NullMarked
package io.watchgate.cli.output;

import org.jspecify.annotations.NullMarked;
