/**
 * Keeps the streams of a gateway's replicas about even, without any of them talking to another.
 *
 * <p><b>The idea.</b> Each replica says on a {@link io.watchgate.balance.Board}, which is Leases at
 * the apiserver, how many streams it has, and reads what the others say. Who has clearly more than
 * the mean sends the surplus away ({@link io.watchgate.balance.Balancer}): streams that have
 * everything and so lose nothing by going on elsewhere, the oldest first, so that nobody is sent
 * from one to the next. Clients choose another replica, and avoid those that send streams away.
 * Whatever a replica does not know makes it keep its streams: others that have been silent, that it
 * has only just seen, or that have not spoken since it last sent some away.
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
