"""A PostgreSQL server whose disk is full, as a client sees it: a disk that really is would stop all tests."""

from typing import Any

import psycopg


def no_room(connection: "psycopg.Connection[Any]", *tables: str) -> None:
    """From now on the server refuses to write to these tables, in the words and with the code of a full disk."""
    connection.execute(
        """
        CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            RAISE 'could not extend file: the disk is full' USING ERRCODE = 'disk_full';
        END $$
        """
    )
    for table in tables:
        connection.execute(
            f"CREATE TRIGGER no_room BEFORE INSERT OR UPDATE ON {table} FOR EACH ROW EXECUTE FUNCTION no_room()"
        )
