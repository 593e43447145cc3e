"""The family of errors that end a command or refuse a request, each with a stable code.

Exit codes of every ``coordinator`` verb:

==== =====================================
code meaning
==== =====================================
0    done
1    failed
2    wrong usage of the command line
3    configuration or definition refused
4    journal damaged, or a replay differs
5    address in use
6    database unreachable
130  interrupted
==== =====================================
"""

from typing import ClassVar


class CoordinatorError(Exception):
    """What a person or a peer can cause; shown as one sentence, never as a traceback.

    ``code`` is the stable name that scripts and other programs may rely on, ``exit_code`` what the
    process ends with when the error reaches the command line (see the table above).
    """

    code: ClassVar[str] = "failed"
    exit_code: ClassVar[int] = 1


class NotText(CoordinatorError):
    """A word of the command line or of the environment holds bytes that are no UTF-8, where a text is due."""

    code = "not_text"
    exit_code = 2

    def __init__(self, word: str) -> None:
        super().__init__(f"{word!r} is not UTF-8 text: write it in that encoding")
        self.word = word


class AddressInUse(CoordinatorError):
    """Another process listens on the address that was asked for; ``address`` is its ``host:port``."""

    code = "address_in_use"
    exit_code = 5

    def __init__(self, address: str) -> None:
        super().__init__(f"{address} is in use by another process: stop it or choose another port")
        self.address = address


class AddressUnusable(CoordinatorError):
    """An address cannot be listened on: it is not one of this machine, is reserved, or cannot be found."""

    code = "address_unusable"
    exit_code = 3

    def __init__(self, address: str, what: str) -> None:
        super().__init__(f"nothing can listen on {address}: {what}; give another address or port")
        self.address = address


class CredentialsRefused(CoordinatorError):
    """The credentials file cannot be used; nothing that stands in it is repeated."""

    code = "credentials_refused"
    exit_code = 3

    def __init__(self, path: str, what: str) -> None:
        super().__init__(f"the credentials {path} cannot be used: {what}")
        self.path = path


class CredentialsMissing(CoordinatorError):
    """The daemon would be open to everybody who can reach ``address``."""

    code = "credentials_missing"
    exit_code = 3

    def __init__(self, address: str) -> None:
        super().__init__(
            f"{address} can be reached from other machines, and nobody would have to say who they are: "
            "name a credentials file with --credentials, or listen on 127.0.0.1"
        )
        self.address = address


class TlsRefused(CoordinatorError):
    """A certificate or a key cannot be used."""

    code = "tls_refused"
    exit_code = 3

    def __init__(self, path: str, what: str) -> None:
        super().__init__(f"TLS cannot be had with {path}: {what}")
        self.path = path


class SecretKept(CoordinatorError):
    """A match is not over, so the secret of its deals is nobody's yet."""

    code = "secret_kept"

    def __init__(self, match_id: str) -> None:
        super().__init__(f"match {match_id!r} is not over: its secret would tell the deals that are to come")
        self.match_id = match_id


class ExportRefused(CoordinatorError):
    """A file of deals cannot be read, or not be written."""

    code = "export_refused"

    def __init__(self, path: str, what: str, *, done: str = "verified") -> None:
        super().__init__(f"{path} cannot be {done}: {what}")
        self.path = path


class ReadyFileFailed(CoordinatorError):
    """The ready file cannot be written where it was asked for; ``path`` says where."""

    code = "ready_file_failed"

    def __init__(self, path: str, what: str) -> None:
        super().__init__(f"the ready file {path} cannot be written: {what}; its folder must exist and be writable")
        self.path = path


_MEND_DAMAGE = "Stop, keep a copy of the journal, and put the last good copy of it back in its place."


class JournalDamaged(CoordinatorError):
    """The journal does not hold what was written to it.

    ``match_id`` and ``seq`` name the match and the record (counted from 1), ``place`` both of them; ``match_id`` is
    None where the journal as a whole cannot be read, ``seq`` is None where the damage is not in one record.
    """

    code = "journal_damaged"
    exit_code = 4

    def __init__(self, match_id: str | None, seq: int | None, what: str) -> None:
        place = "The journal" if match_id is None else f"Match {match_id!r}"
        if seq is not None:
            place += f", record {seq:,}"
        super().__init__(f"{place}: {what}. {_MEND_DAMAGE}")
        self.place = place
        self.match_id = match_id
        self.seq = seq
        self.what = what


class JournalForeign(CoordinatorError):
    """The file or database exists and is not a journal of ours; nothing was written to it."""

    code = "journal_foreign"
    exit_code = 4

    def __init__(self, path: str, what: str) -> None:
        super().__init__(f"{path} is not a journal: {what}. Give another one with --journal, or move that away.")
        self.path = path


class JournalNewer(CoordinatorError):
    """The journal was written by a newer version, which knows things that this one does not."""

    code = "journal_newer"
    exit_code = 4

    def __init__(self, place: str, what: str) -> None:
        super().__init__(
            f"{place} was written by a newer version of the coordinator: {what}. "
            "Install that version again, or restore a backup made before the upgrade."
        )
        self.place = place


class JournalLocked(CoordinatorError):
    """Another process writes this journal. ``holder`` says which one, where it is known, as "process 7 on cup-2"."""

    code = "journal_locked"

    def __init__(self, path: str, holder: str = "another process") -> None:
        who = holder[:1].upper() + holder[1:]
        super().__init__(f"{who} writes the journal {path}. Stop it first, or give another one with --journal.")
        self.path = path
        self.holder = holder


class CopyDiffers(CoordinatorError):
    """A copy of a journal holds a match of the same name with other records; nothing was added to it."""

    code = "copy_differs"
    exit_code = 4

    def __init__(self, match_id: str, seq: int) -> None:
        super().__init__(
            f"The copy holds another match {match_id!r}: record {seq:,} is not the one that is to be copied. "
            "Copy to a new journal."
        )
        self.match_id = match_id
        self.seq = seq


class JournalFailed(CoordinatorError):
    """A commit failed: what is in memory is ahead of the disk, and the commit must not be tried again.

    The kernel reports a failed write once and may then forget it, so a second try that succeeds proves nothing.
    """

    code = "journal_failed"

    def __init__(self, what: str) -> None:
        super().__init__(
            f"The journal could not be written: {what}. "
            "Mend the cause (disk full? disk failing?) and start again: all that was acknowledged is in the journal."
        )
        self.what = what


class DatabaseUnreachable(CoordinatorError):
    """The database that a journal URL names cannot be opened."""

    code = "database_unreachable"
    exit_code = 6

    def __init__(self, url: str, what: str, mend: str) -> None:
        super().__init__(f"The journal {url} cannot be opened: {what}. {mend}")
        self.url = url


class DaemonUnreachable(CoordinatorError):
    """No daemon answers at the address a verb was told to ask; ``url`` is that address."""

    code = "daemon_unreachable"

    def __init__(self, url: str, what: str) -> None:
        super().__init__(f"no coordinator answers at {url}: {what}; start one, or say where it is with --url")
        self.url = url


class DaemonUntrusted(CoordinatorError):
    """Somebody answers at the address a verb was told to ask, with a certificate that this machine does not trust."""

    code = "daemon_untrusted"

    def __init__(self, url: str, what: str) -> None:
        super().__init__(f"the certificate at {url} is not trusted: {what}; SSL_CERT_FILE names one that is to be")
        self.url = url


class DaemonRefused(CoordinatorError):
    """The running daemon answered a question of the command line with an error."""

    code = "daemon_refused"

    def __init__(self, url: str, what: str) -> None:
        super().__init__(f"{url}: {what}")
        self.url = url


class MatchUnknown(CoordinatorError):
    """There is no match of that name where it was looked for."""

    code = "match_unknown"

    def __init__(self, match_id: str, place: str) -> None:
        super().__init__(f"{place} holds no match {match_id!r}")
        self.match_id = match_id


class ReportUnwritable(CoordinatorError):
    """The report of a simulation, or its pictures, cannot be written or drawn."""

    code = "report_unwritable"


class PlayerUnknown(CoordinatorError):
    """A match has no player of that name."""

    code = "player_unknown"

    def __init__(self, match_id: str, player_id: str) -> None:
        super().__init__(f"match {match_id!r} has no player {player_id!r}")
        self.match_id = match_id
        self.player_id = player_id
