/**
 * Tests of the service with third-party clients: lists, types, waiting for one's own writes, health
 * and reflection, with a real apiserver.
 */
@NullMarked
package io.watchgate.e2e.service;

import org.jspecify.annotations.NullMarked;
