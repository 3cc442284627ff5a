/**
 * The service as a client without a line of ours meets it: lists, types, waiting for one's own
 * writes, health and reflection, before a real apiserver.
 */
@NullMarked
package io.watchgate.e2e.service;

import org.jspecify.annotations.NullMarked;
