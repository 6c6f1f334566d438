"""What an owner has opened to the own computer. A rule is for what starts after it.

A running command keeps the rules it began with, so nobody widens silently what is already under way.
"""

from contracts.errors import ErrorCode
from contracts.limits import EGRESS_RULES_MAX
from contracts.reasons import because
from contracts.records import EgressRule
from durable_objects.shared.context import Context


class EgressRules:
    def __init__(self, context: Context) -> None:
        self._context = context
        self._sql = context.sql

    def all(self) -> list[EgressRule]:
        """Newest first, those that have ended too."""
        rows = self._sql.execute("SELECT * FROM egress_rules ORDER BY created_ms DESC, id DESC")
        return [EgressRule.model_validate(row) for row in rows]

    def holding(self, oldest_command_ms: int | None) -> list[EgressRule]:
        """Those that hold for everything that runs, where the oldest command was accepted at this time."""
        now_ms = self._context.now_ms()
        started_ms = now_ms if oldest_command_ms is None else oldest_command_ms
        return [rule for rule in self.all() if rule.created_ms < started_ms and now_ms < rule.until_ms]

    def propose(self, host: str, path: str, until_ms: int) -> EgressRule:
        """The rule as it will be added. Raises where there is no room for one more."""
        if len(self.all()) >= EGRESS_RULES_MAX:
            raise because(ErrorCode.INVALID_REQUEST, "rules_many", most=EGRESS_RULES_MAX)
        return EgressRule(
            id=self._context.new_id("rule"),
            host=host,
            path=path,
            until_ms=until_ms,
            created_ms=self._context.now_ms(),
        )

    def add(self, rule: EgressRule) -> None:
        self._sql.run(
            "INSERT INTO egress_rules (id, host, path, until_ms, created_ms) VALUES (?, ?, ?, ?, ?)",
            rule.id,
            rule.host,
            rule.path,
            rule.until_ms,
            rule.created_ms,
        )

    def find(self, rule_id: str) -> EgressRule:
        for rule in self.all():
            if rule.id == rule_id:
                return rule
        raise because(ErrorCode.NOT_FOUND, "rule_gone")

    def remove(self, rule_id: str) -> None:
        self._sql.run("DELETE FROM egress_rules WHERE id = ?", rule_id)
