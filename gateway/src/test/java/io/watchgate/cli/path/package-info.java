@NullMarked
package io.watchgate.cli.path;

import org.jspecify.annotations.NullMarked;
