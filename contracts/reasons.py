"""Why something was refused or failed: a code for each reason, and its English sentence with its facts.

    raise because(ErrorCode.NOT_FOUND, "thread_gone")
    raise because(ErrorCode.INVALID_REQUEST, "tokens_many", most=TOKENS_MAX)

The sentence is the error's message, for programs and models. The code and the facts are in its details, so
that pages say it in their person's language (`web/src/i18n/reasons/`). What the service in the computer
refuses has its codes here too, and its own sentences there; why trading is refused is in `trading.py`.
"""

from collections.abc import Mapping
from typing import Any

from contracts.errors import BerthError, ErrorCode

WORDS: Mapping[str, str] = {
    "computer_banned_because": "An operator has banned this computer: {why}. Its files are kept.",
    "computer_ban_unknown": "It cannot be checked whether this computer may run. Try again in a moment.",
    "commands_many": "The computer runs {count} commands already. Wait for one, or stop one.",
    "command_gone": "This command is not there.",
    "computer_being_deleted": "This computer is being deleted.",
    "commands_running": "Commands are running, which may be using it. Wait for them, or do it all the same.",
    "egress_used_up": "This computer has used up its requests or bytes for now. Wait, then ask for less.",
    "egress_banned": "This computer may not go out: {why}",
    "egress_cut": "No computer may go out at present: {why}",
    "egress_unknown": "It cannot be checked whether this computer may go out. Try again in a moment.",
    "rule_gone": "This rule is not there.",
    "rules_many": "There are {most} rules already. Remove one first.",
    "length_unknown": "The computer did not say how long the file is.",
    "export_too_large": "The file has {size} MB; {most} MB is the most for one export.",
    "computer_asleep": "The computer is on standby. Its files can be had when it next runs.",
    "computer_restoring": (
        "The computer is still bringing your files back from their backup. Try again in a minute."
    ),
    "computer_reset": "The computer was reset meanwhile.",
    "berth_silent": "Berth did not answer. Try again in a moment.",
    "computer_silent": "The computer did not answer. Try again in a moment.",
    "file_not_whole": "The file did not arrive whole. Send it again.",
    "files_store_down": (
        "The computer's files could not be read from where they are kept. Try again in a moment."
    ),
    "archive_gone": "There is no archive to download. Make one first.",
    "store_silent": "The store of files did not answer.",
    "computers_paused": "No computer can be used at present: {why} The conversation goes on.",
    "computers_unknown": "It cannot be checked whether computers may be used. Try again in a moment.",
    "time_zone_unknown": "There is no time zone {name}. One is called Europe/Berlin.",
    "days_wrong": "Ask for 1 to {most} days, the first of them first.",
    "day_wrong": "A day is written as 2026-03-29.",
    "model_key_no_sandbox": (
        "Computers run without a sandbox here, so Berth takes no model key. Start it with one."
    ),
    "message_gone": "This message is not there.",
    "message_waits": "This message still waits. Take it back and write anew.",
    "model_name_missing": "Name the model that this bot shall use.",
    "temperature_wrong": "The temperature of these models goes from 0 to 1.",
    "recording_missing": "Give the recording that this bot shall play.",
    "bot_gone": "This bot is not there.",
    "thread_gone": "This thread is not there.",
    "deletion_planned": "Everything of this owner is going to be deleted. Until then it can be taken back.",
    "deletion_under_way": "Everything of this owner is being deleted. Afterwards one can begin anew.",
    "thread_deleted_meanwhile": "The thread was deleted while it was exported.",
    "file_gone": "This file is not there.",
    "artifacts_many": "This run has exported {most} files, which is the most.",
    "attached_gone": "An attached file is not there, or was sent before.",
    "invitation_used": "This invitation is used, has ended or was taken back. Ask for another one.",
    "invitations_many": "{most} invitations are waiting already. Take some back first.",
    "invitation_gone": "There is no such invitation.",
    "key_unreadable": "The stored key cannot be read any more. Give it again in the bot's settings.",
    "keys_not_kept": "This deployment cannot keep keys: its operator has set no key-encryption key.",
    "own_has_no_name": "What is your own has no name. A workspace has.",
    "own_is_alone": "What is your own is yours alone. Create a workspace to invite people.",
    "members_many": "This workspace has {most} members, which is as many as fit.",
    "member_gone": "There is no such member.",
    "last_owner_stays": "A workspace needs an owner. Make somebody else one first, or delete the workspace.",
    "message_empty": "Write something, or attach a file.",
    "no_model_to_choose": "This bot has no model that could be chosen.",
    "client_id_elsewhere": "This client_id was used for a message in another thread.",
    "client_id_used": "This client_id was used for another message.",
    "workers_ai_absent": "Workers AI is there on Cloudflare only, not on this machine.",
    "file_not_stored": "The file could not be stored. Try again in a moment.",
    "upload_gone": "This upload is not there any more. Begin it again.",
    "notice_nowhere": "There is nowhere to send it to yet.",
    "notice_tests_many": "{most} tests an hour are the most.",
    "no_mail": "This deployment sends no mail: its operator has set none up.",
    "codes_many": "{most} codes a day are the most. Try again later.",
    "browsers_many": "{most} browsers are the most. Remove one that you do not use any more.",
    "no_push": "This deployment cannot push: its operator has set no key for it.",
    "push_key_wrong": "The key of this browser is none of P-256.",
    "browser_gone": "This browser is not there.",
    "confirm_deletion": "To delete everything of this owner, type {owner} to confirm.",
    "picture_gone": "This picture is not there.",
    "bot_deleted": "The bot of this thread was deleted.",
    "json_path_wrong": "{path} is no JSON path to one value, such as $.items[0].price.",
    "routines_many": "There can be at most {most} routines.",
    "routine_cost_used": "Its cost of this month is used up.",
    "client_id_other": "This client_id was used for something else.",
    "routine_still_runs": "Its last run has not ended yet.",
    "routine_gone": "This routine is not there.",
    "cron_wrong": "This is no cron expression: {why}.",
    "time_passed": "This time never comes, or has passed.",
    "time_zone_none": "There is no time zone {name}.",
    "run_gone": "This run is not there.",
    "our_side_send_again": "Something went wrong on our side. Send the message again.",
    "tool_unknown": "There is no tool {tool}.",
    "upload_too_large": "The file has {size} MB; {most} MB is the most.",
    "upload_whole": "Send a file of at most {most} MB whole; parts are for larger ones.",
    "uploads_many": "There are {most} unfinished uploads. Finish one or give it up first.",
    "upload_parts": "This upload has the parts 1 to {most}, not {given}.",
    "uploads_not_removed": "Unfinished uploads could not be removed.",
    "account_gone": "There is no such account.",
    "agent_key_no_sandbox": (
        "Computers run without a sandbox here, so Berth takes no agent key. Start it with one."
    ),
    "not_as_shown": "This is not what was shown. Look at it again.",
    "line_gone": "There is no such line to approve.",
    "run_stopped": "The run was stopped; nothing was proposed.",
    "orders_not_open": "These orders are not open: {orders}",
    "venue_not_asked": "The venue could not be asked: {why}.",
    "approval_gone": "This approval is not there.",
    "decided": "This has been decided already.",
    "paper_no_market": "The paper market has {names}, and no {symbol}.",
    "paper_price_bounds": "Prices of {symbol} are from {least} to {most} here.",
    "market_unknown": "There is no market {symbol}.",
    "venue_unfit": "What the venue tells does not fit: {why}.",
    "which_account": "Say which account: its account_id is missing.",
    "venue_asked_too_much": "The venue has been asked too much at once. Ask again in {seconds} s.",
    "attempts_many": "Too many attempts. Try again later.",
    "session_gone": "There is no such session.",
    "tokens_many": "There are {most} tokens already. Remove one first.",
    "token_gone": "There is no such token.",
    "not_signed_in": "This did not sign you in. Try again.",
    "passkeys_many": "There are {most} passkeys already. Remove one first.",
    "passkey_gone": "There is no such passkey.",
    "last_way_in": "This is your last way in. Add another passkey or make recovery codes first.",
    "workspace_banned": "An operator has banned your computer: {why}. Until that ends, create none.",
    "workspaces_many": "You belong to {most} workspaces already. Leave one first.",
    "invitation_needed": "You need an invitation to come in here, and each is good for one person.",
    "owner_gone": "This owner is not there.",
    "not_permitted": "You may not do this here.",
    "owner_unknown": "There is no such owner.",
    "our_side": "Something went wrong on our side.",
    "attempts_many_address": "Too many attempts from this address. Try again in a minute.",
    "body_too_large": "The body has {size} MB; {most} MB is the most.",
    "check_address_wrong": "This is no address for a check: {why}.",
    "bytes_gone": "The bytes of this file are gone.",
    "file_unreadable": "The file could not be read. Try again in a moment.",
    "sign_in_first": "Sign in first.",
    "sign_in_not_set_up": "Sign-in is not set up for this address.",
    "this_machine_only": "This Berth answers on this machine only, as localhost.",
    "path_too_long": "The path is too long.",
    "path_missing": "Say a `path` for the file.",
    "no_such_way_in": "This is no way to sign in here.",
    "wrong_token": "This is not the token of this Berth.",
    "model_address_wrong": "This is no address for a model: {why}.",
    "no_page": "There is nothing at this address.",
    "notice_address_wrong": "Notices cannot be sent to this address: {why}.",
    "https_needed": "Signing in needs https.",
    "no_sign_in_here": "Nobody signs in at this address: it is not one of BERTH_HOSTS.",
    "export_kind": "A thread is exported as markdown or as json.",
    "part_size": "This part has to have {size:,} bytes.",
    "host_cannot_open": "{why}",
    "last_owner_of": "You are the last owner of {names}. Make somebody else one first, or delete it.",
    "no_account_here": "There is no account here that could be deleted.",
    "upload_name": "Give the file a name, of 1,000 characters at most.",
    "computer_not_started": "The computer did not start. Try again in a moment.",
    "snapshot_not_started": (
        "The computer did not start from its snapshot, and it has no backup. Try again in a moment; if "
        "that goes on, a reset gives it an empty workspace."
    ),
    "files_unavailable": (
        "The computer's files could not be brought back: neither its snapshot nor a backup can be used. "
        "Trying again may help; a reset gives it an empty workspace."
    ),
    "asked_first": (
        "Not made: the person was asked first. Make it again if it is still right after their answer."
    ),
    "code_wrong": "This is not the code that was sent, or it is too old.",
    "routine_blank": "A routine needs a name and a prompt that are more than blanks.",
    "routine_no_browser": "Routines cannot use a browser yet.",
    "approval_over": "The time for this has run out; nothing was sent.",
    "price_moved_since": (
        "The price has moved by more than {percent} % since this was shown. Look at it again, as it is now."
    ),
    "arguments_wrong": "The arguments are not right: {wrong}",
    "fields_wrong": "{wrong}",
    "orders_illegal": "{orders}",
    # Of the service in the computer.
    "no_file": "There is no file {path} in the workspace.",
    "disk_full": "The workspace is full: delete something and try again.",
    "not_allowed_with": "The computer's user may not do that with {path}.",
    "not_regular": "{path} is not a regular file.",
    "name_too_long": "The name {path} is too long.",
    "links_many": "{path} goes through too many links.",
    "is_folder": "{path} is a folder.",
    "outside": "{path} is not in the workspace {root}.",
    "leaves_workspace": "{path} leaves the workspace.",
    "path_nul": "A path has no NUL characters.",
    "workspace_full_at": (
        "The workspace is full: with the home folder it takes {used_said} of {limit_said}. Nothing was "
        "written. Delete files that are not needed any more, then try again."
    ),
    "space_unknown": "It cannot be measured how full the workspace is. Try again.",
    "being_restored": "The files are being put back from a backup; try again in a moment.",
    "name_taken": "There is a {path} already.",
    "into_itself": "A folder cannot be put into itself.",
    "no_name": "{path} does not name a file or folder in the workspace.",
    "put_meanwhile": "Something was put into it meanwhile. Try again.",
    "folders_packing": "{count} folders are being packed already.",
    "cannot_show": "{path} cannot be shown.",
    "file_changed": "{path} has changed since it was read.",
    "names_alike": "There are too many files named like {path}.",
    "not_text": "{path} is not text, so it was not changed.",
    "edit_too_large": "{path} would be or is larger than {most} MB, the most for an edit. Use a script.",
    "line_ends_only": "This would change nothing: only line ends differ, and the file keeps its own.",
    "not_in_encoding": "The file is {codec}, which has no {character}. Nothing was changed.",
    "edit_empty": "`oldText` is empty. To write a new file use write_file.",
    "edit_same": "`oldText` and `newText` are the same.",
    "edit_places": (
        "oldText is there {count} times, in lines {places}. Give more of the text around the one you mean."
    ),
    "edit_none": "oldText is not in the file. Read it again.",
    "edit_near": "oldText is not in the file. Line {line} comes near.",
    "shell_not_started": "The shell could not be started; nothing ran.",
    "commands_running_many": "{count} commands are running already.",
    "command_too_long": "A command may have {most} bytes, not {size}.",
    "model_unreached": "The model's server could not be reached.",
    "model_broke": "The connection to the model broke.",
    "model_silent": "The model's server was silent for {seconds} seconds.",
    "model_endless": "The model's answer took more than {seconds} seconds.",
    "model_line_endless": "The model sent a line without an end.",
    "model_unreadable": "The model's answer could not be read.",
    "model_broke_off": "The model's answer broke off.",
    "model_too_long": "The model's answer was too long.",
    "model_many_calls": "One answer asked for more than {most} calls.",
    "model_cut": "The model reached its limit before it had said anything.",
    "model_declined": "The model declined to answer this.",
    "model_nothing": "The model answered with nothing, twice.",
    "model_answered": "The model's server answered {status}.",
    "model_answered_with": "The model's server answered {status}: {sentence}",
    "model_stopped": "The model stopped with an error.",
    "model_stopped_with": "The model stopped with an error: {sentence}",
    "recording_over": "The recorded conversation is over.",
    "given_up": "Berth broke off several times at this point and has given up.",
    "routine_time": "The run took all of the time that its routine gives it.",
    "routine_cost": "The run cost as much as its routine lets one cost.",
    "routine_month": "The routine's runs cost as much as it may cost in a month.",
    "routine_no_computer": "This routine may not use the computer: its owner has not switched that on.",
    "export_broke": "The file could not be read to its end. Export it again.",
    "picture_not_kept": "The picture could not be kept. Look at it again.",
    "attached_unread": "An attached file could not be read from where it is kept. Try again.",
    "upload_incomplete": "The file is not whole yet.",
    "upload_unfit": "The parts do not fit together. Send them again.",
    "mail_silent": "The code could not be sent. The mail service did not answer.",
    "mail_refused": "The code could not be sent. The mail service refused it with {status}.",
    "check_no_json": "The address did not answer with JSON.",
    "check_nothing_at": "The answer has nothing at {path}.",
    "check_no_number": "{value} is no number to compare.",
    "check_status": "The address answered with {status}.",
    "check_unreached": "The address could not be reached.",
    "check_slow": "It took too long.",
    "check_too_large": "The address answered with more than {most} bytes.",
    "order_wrong": "order {n}: {why}",
    "order_no_market": "there is no market {symbol}; there are {known}",
    "order_no_number": "{text} is not a plain decimal number",
    "order_not_positive": "price and size are over zero",
    "order_huge": "price, size and value are under {most}",
    "order_no_price": "the venue has no price {price}; the nearest are {down} and {up}",
    "order_no_size": "sizes have {decimals} decimals; {size} would be one",
    "order_not_smaller": "reduce_only, and there is no position that it would make smaller",
    "order_too_small": "its value of {value} USDC is under the minimum of {least}",
}


class Why:
    """A reason of WORDS with the facts of its sentence, of which some may be reasons themselves."""

    def __init__(self, reason: str, **facts: "Fact") -> None:
        self.reason = reason
        self.facts = facts

    def words(self) -> str:
        return WORDS[self.reason].format(**{name: _words(fact) for name, fact in self.facts.items()})

    def as_details(self) -> dict[str, Any]:
        return {"reason": self.reason} | {name: _detail(fact) for name, fact in self.facts.items()}


Fact = str | int | Why | list[Why]


def _words(fact: Fact) -> str | int:
    if isinstance(fact, list):
        return "; ".join(one.words() for one in fact)
    return fact.words() if isinstance(fact, Why) else fact


def _detail(fact: Fact) -> Any:
    if isinstance(fact, list):
        return [one.as_details() for one in fact]
    return fact.as_details() if isinstance(fact, Why) else fact


def because(
    code: ErrorCode,
    reason: str | Why,
    *,
    retry_after_s: float | None = None,
    details: Mapping[str, Any] | None = None,
    **facts: Fact,
) -> BerthError:
    """An error that says why: `reason` is a key of WORDS, and the facts fill its sentence."""
    why = reason if isinstance(reason, Why) else Why(reason, **facts)
    told = {**(details or {}), **why.as_details()}
    return BerthError(code, why.words(), retry_after_s=retry_after_s, details=told)
