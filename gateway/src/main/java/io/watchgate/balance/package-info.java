/**
 * Keeps the streams of a gateway's replicas about even, without any of them talking to another.
 *
 * <p><b>The idea.</b> Each replica says on a {@link io.watchgate.balance.LoadRegistry}, which is
 * Leases at the apiserver, how many streams it has, and reads what the others say. Once one of them
 * has clearly more or fewer than the mean, each sends away what it has above it ({@link
 * io.watchgate.balance.Balancer}): streams that have everything and so lose nothing by going on
 * elsewhere, the oldest first, and none that has just come, so that nobody is sent from one to the
 * next. As long as one lacks streams, those above the mean refuse clients that say that they know
 * other replicas; these come to the one that lacks them, and not to others that have too many.
 *
 * <p>Whatever a replica does not know makes it keep its streams: others that have been silent, that
 * it has only just seen, or that have not spoken since it counted what it goes by. It goes by what
 * it had two rounds ago, if that is less: what came since may have come from one that died, and
 * others may have got as much and not have said so.
 *
 * <p><b>Threads.</b> One, virtual, which waits most of the time; everything here belongs to it.
 *
 * <p><b>Bounds.</b> Two requests a round and replica. What a replica knows of others grows with
 * those that are on the board; those that have been silent for long are taken off it.
 *
 * <p><b>Rejected.</b> Replicas that ask each other: they would have to find, reach and believe each
 * other, and a client that is refused by one still has to be sent to the next. A balancer in front:
 * it sees connections, not streams. Stream age alone: it does even them out, but within half an
 * hour, and by chance.
 */
@NullMarked
package io.watchgate.balance;

import org.jspecify.annotations.NullMarked;
