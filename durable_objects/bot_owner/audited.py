"""Which of an owner's operations go into the record, under which name, and with which facts.

Facts are ids, names of settings and words of our own lists: that something was changed, never into what. An
operation that only reads, sends or stops something is not in the table; the thread is the record of those.
"""

from collections.abc import Mapping
from typing import Any

from contracts.audit import Detail
from durable_objects.shared.audited import Audited, Facts, Fields, asked


def _named(fields: Fields, _result: Any) -> Mapping[str, Detail]:
    """The names of the settings that were given, those inside the model's too."""
    body = fields.get("body", fields)
    model = body.get("model") if isinstance(body.get("model"), dict) else {}
    names = [name for name, value in body.items() if value is not None]
    return {
        "fields": sorted([*names, *(f"model.{name}" for name, value in model.items() if value is not None)])
    }


def _bot(fields: Fields, result: Any) -> Mapping[str, Detail]:
    return {"bot_id": str(result.id), "has_key": bool(result.model.has_key), **_named(fields, result)}


def _routine(fields: Fields, result: Any) -> Mapping[str, Detail]:
    return {"routine_id": str(result.id), **_named(fields, result)}


def _channel(channel: str) -> Facts:
    return lambda _fields, _result: {"channel": channel}


def _account(_fields: Fields, result: Any) -> Mapping[str, Detail]:
    return {"account_id": result.id, "network": result.network, "watch_only": result.watch_only}


AUDITED: Mapping[str, Audited] = {
    "change_me": Audited("settings_changed", _named),
    "make_archive": Audited("archive_made", lambda _fields, result: {"archive_id": result.id}),
    "remove_archive": Audited("archive_removed"),
    "change_member": Audited(
        "member_changed", lambda fields, result: {"person_id": str(fields["id"]), "role": str(result.role)}
    ),
    "remove_member": Audited("member_removed", asked("person_id")),
    "leave": Audited("member_left"),
    "name_oneself": Audited("member_renamed"),
    "invite": Audited(
        "invitation_made", lambda _fields, result: {"invitation_id": result.id, "role": str(result.role)}
    ),
    "take_back_invitation": Audited("invitation_taken_back", asked("invitation_id")),
    "create_bot": Audited("bot_created", _bot),
    "change_bot": Audited("bot_changed", _bot),
    "delete_bot": Audited("bot_deleted", asked("bot_id")),
    "delete_thread": Audited("thread_deleted", asked("thread_id")),
    "restore_thread": Audited("thread_restored", asked("thread_id")),
    "grant": Audited(
        "allowance_granted",
        lambda fields, _result: {"grant_id": fields["body"]["id"], "micro": fields["body"]["micro"]},
    ),
    "choose_notices": Audited("notices_changed", _named),
    "subscribe": Audited("notice_place_added", _channel("push")),
    "unsubscribe": Audited("notice_place_removed", _channel("push")),
    "set_webhook": Audited("notice_place_added", _channel("webhook")),
    "confirm_email": Audited("notice_place_added", _channel("email")),
    "remove_notice_places": Audited(
        "notice_place_removed", lambda fields, _result: {"channel": str(fields["channel"])}
    ),
    "create_routine": Audited("routine_created", _routine),
    "change_routine": Audited("routine_changed", _routine),
    "delete_routine": Audited("routine_deleted", asked("routine_id")),
    "pause_routine": Audited("routine_paused", asked("routine_id")),
    "resume_routine": Audited("routine_resumed", asked("routine_id")),
    "decide_approval": Audited(
        "approval_decided",
        lambda fields, result: {"intent_id": str(fields["id"]), "state": str(result.state)},
    ),
    "set_trading_switch": Audited("trading_switch", lambda _fields, result: {"state": str(result.switch)}),
    "set_trading_rules": Audited(
        "trading_rules", lambda _fields, result: {"enabled": bool(result.rules.enabled)}
    ),
    "set_trading_approvals": Audited("trading_approvals", _named),
    "set_trading_venue": Audited(
        "trading_venue", lambda _fields, result: {"venue": str(result.venue), "account_id": result.account_id}
    ),
    "set_paper_settings": Audited(
        "trading_paper",
        lambda _fields, result: {"replays": result.replay is not None, "loses": str(result.loses)},
    ),
    "connect_trading_account": Audited("trading_account_connected", _account),
    "remove_trading_account": Audited("trading_account_removed", asked("account_id")),
}
