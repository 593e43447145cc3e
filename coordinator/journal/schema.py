"""The tables of a journal, the same in every database."""

from sqlalchemy import BigInteger, Column, Index, Integer, LargeBinary, MetaData, Table, Text
from sqlalchemy.dialects import postgresql

SCHEMA_VERSION = 2
"""Version of these tables; a file with a higher one was written by a newer coordinator. Version 1 had no `finished`."""

metadata = MetaData()

# SQLite has one whole number type, of 64 bits; its strict tables know it by no other name.
_Whole = BigInteger().with_variant(Integer, "sqlite")
# Sorted by bytes, as SQLite does, whatever language the server speaks.
_Name = Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")

matches = Table(
    "matches",
    metadata,
    Column("match_id", _Name, primary_key=True),
    Column("definition_id", Text, nullable=False),
    Column("opened_wall_ms", _Whole, nullable=False),
    sqlite_strict=True,
)

# In the order of arrival, with an index by match and number: rows as long as these, clustered by their key, would have
# SQLite balance pages all the time, which makes an append half as dear again.
records = Table(
    "records",
    metadata,
    Column("match_id", _Name, primary_key=True),
    Column("seq", _Whole, primary_key=True, autoincrement=False),
    Column("body", LargeBinary, nullable=False),
    Column("hash", LargeBinary, nullable=False),
    sqlite_strict=True,
)

# The newest record of each match, written in the transaction that writes it: a tail that was cut off is missed.
heads = Table(
    "heads",
    metadata,
    Column("match_id", _Name, primary_key=True),
    Column("seq", _Whole, nullable=False),
    Column("hash", LargeBinary, nullable=False),
    sqlite_strict=True,
)

# Matches that no start takes up, and what lists say of them; written in one transaction with their last snapshots.
finished = Table(
    "finished",
    metadata,
    Column("match_id", _Name, primary_key=True),
    Column("seq", _Whole, nullable=False),
    Column("hash", LargeBinary, nullable=False),
    Column("status", Text, nullable=False),
    Column("finished_wall_ms", _Whole, nullable=False),
    Column("summary", LargeBinary, nullable=False),
    Index("finished_by_time", "finished_wall_ms", "match_id"),
    sqlite_strict=True,
)

snapshots = Table(
    "snapshots",
    metadata,
    Column("match_id", _Name, primary_key=True),
    Column("seq", _Whole, primary_key=True, autoincrement=False),
    Column("layout", Text, nullable=False),
    Column("state", LargeBinary, nullable=False),
    Column("state_hash", LargeBinary, nullable=False),
    Column("effects", LargeBinary, nullable=False),
    Column("record_hash", LargeBinary, nullable=False),
    Column("hash", LargeBinary, nullable=False),
    sqlite_strict=True,
)
