"""When many table servers are gone at once it is no fault of theirs: no table moves and no clock runs for a while."""

import attrs


@attrs.frozen
class OutageRule:
    """An outage begins when more than ``share`` of all tables are at two or more servers that are away. It ends when at
    most half of that share is away, or after ``at_most_s`` seconds."""

    share: float = 0.5
    at_most_s: float = 60.0


class Outage:
    """Counts the tables of the servers that are away."""

    def __init__(self, rule: OutageRule) -> None:
        self.rule = rule
        self.on = False
        self._away: dict[str, int] = {}
        self._tables = 0

    @property
    def servers(self) -> list[str]:
        """The servers that are away and hold tables."""
        return list(self._away)

    def gone(self, server_id: str, tables: int, of: int) -> bool:
        """A server is away, and holds so many of all tables. Returns whether an outage begins with it."""
        self.back(server_id)
        if tables:
            self._away[server_id] = tables
            self._tables += tables
        if self.on or len(self._away) < 2 or self._tables <= self.rule.share * of:
            return False
        self.on = True
        return True

    def back(self, server_id: str) -> None:
        """A server is not away any more: it is connected again, or given up."""
        self._tables -= self._away.pop(server_id, 0)

    def is_over(self, of: int) -> bool:
        """Whether few enough are away to go on."""
        return self.on and self._tables <= self.rule.share * of / 2
