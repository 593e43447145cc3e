"""From one journal into another: for backups, for a move to another database, to save what is whole."""

from coordinator.errors import CopyDiffers
from coordinator.journal.records import Chain, MatchEntry, PendingRecord, Snapshot
from coordinator.journal.store import Store

RECORDS_PER_COMMIT = 1_000


def copy_match(source: Store, target: Store, match_id: str) -> int:
    """Add to ``target`` what it does not have of a match yet, record by record as it is; how many records that was.

    Every record is verified on the way; a daemon may be writing the source meanwhile. A snapshot that lies is left
    out. Raises JournalDamaged and JournalNewer for the source, CopyDiffers where the target holds another match of
    that name.
    """
    there = target.head(match_id)
    known = 0 if there is None else there.seq
    chain, waiting, opening = Chain.start(match_id), list[PendingRecord](), None
    snapshots = {each.seq: each for each in source.snapshots(match_id) if each.seq > known and each.intact}
    fitting: list[Snapshot] = []
    copied = 0
    for stored in source.read(match_id):
        record = chain.follow(stored)
        if record.seq == 1:
            opening = MatchEntry.of(match_id, record.command, record.wall_ms)
        snapshot = snapshots.get(record.seq)
        if snapshot is not None and (snapshot.record_hash, snapshot.effects) == (record.hash, record.effects):
            fitting.append(snapshot)
        if record.seq == known and there is not None and there.hash != record.hash:
            raise CopyDiffers(match_id, known)
        if record.seq > known:
            first = opening if record.seq == 1 else None
            waiting.append(PendingRecord(match_id, record.seq, stored.body, stored.hash, first))
            if len(waiting) == RECORDS_PER_COMMIT:
                target.append(waiting)
                copied, waiting = copied + len(waiting), []
    if chain.seq < known:
        raise CopyDiffers(match_id, chain.seq + 1)
    target.append(waiting)
    noted = source.finished(match_id)
    for snapshot in fitting:
        if noted is not None and (noted.seq, noted.hash) == (snapshot.seq, snapshot.record_hash):
            target.put_finished(noted, snapshot)
        else:
            target.put_snapshot(snapshot)
    return copied + len(waiting)
