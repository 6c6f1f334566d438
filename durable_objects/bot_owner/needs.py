"""Which right each operation of an owner's object needs (`operations.py`); what is not here is refused."""

from collections.abc import Mapping

from contracts.people import Right

READ = (
    "admitted", "me", "bots", "threads", "thread", "search", "events", "upload", "artifacts", "artifact",
    "picture", "computer", "commands", "command", "allowance", "usage", "approvals", "approval", "trading",
    "trading_accounts", "paper_settings", "routines", "routine", "routine_history",
    "membership", "members", "leave", "name_oneself",
)  # fmt: skip
CHAT = (
    "create_thread", "rename_thread", "delete_thread", "restore_thread", "send", "branch", "stop_run",
    "stop_command", "new_upload", "add_upload", "begin_upload", "unfinished_upload", "upload_part",
    "add_part", "finish_upload", "give_up_upload", "rename_artifact", "deletable_artifact",
    "delete_artifact", "sleep", "run_routine", "routine_times",
)  # fmt: skip
APPROVE = ("decide_approval",)
# What decides over others, costs, or goes on by itself: bots with keys, rules, routines, notices.
MANAGE = (
    "change_me", "delete_me", "undelete_me", "archive", "make_archive", "remove_archive",
    "create_bot", "change_bot", "delete_bot", "reset", "notices",
    "choose_notices", "test_notice", "notice_deliveries", "subscribe", "unsubscribe", "set_webhook",
    "ask_email", "confirm_email", "remove_notice_places", "set_trading_switch", "set_trading_rules",
    "set_trading_approvals", "connect_trading_account", "remove_trading_account", "set_trading_venue",
    "set_paper_settings", "create_routine", "change_routine", "delete_routine", "pause_routine",
    "resume_routine", "change_member", "remove_member", "invitations", "invite", "take_back_invitation",
)  # fmt: skip
OPERATE = ("grant",)

NEEDS: Mapping[str, Right] = {
    **dict.fromkeys(READ, Right.READ),
    **dict.fromkeys(CHAT, Right.CHAT),
    **dict.fromkeys(APPROVE, Right.APPROVE),
    **dict.fromkeys(MANAGE, Right.MANAGE),
    **dict.fromkeys(OPERATE, Right.OPERATE),
}
