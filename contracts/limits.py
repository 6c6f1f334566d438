"""The numbers Berth promises; docs/limits.md explains them and a test keeps both the same.

Sizes are bytes unless the name says otherwise, times are seconds unless the name ends in `_MS`.
"""

from typing import Final

KIB: Final = 1024
MIB: Final = 1024 * KIB

BOOT_SECONDS: Final = 60
IDLE_SECONDS: Final = 300

SNAPSHOT_DAYS: Final = 30
SAVE_SECONDS: Final = 600
RESTORE_SECONDS: Final = 600
BACKUPS_KEPT: Final = 2
BACKUP_PACK_BYTES_MAX: Final = 16 * MIB
BACKUP_MANIFEST_BYTES_MAX: Final = 256 * MIB
BACKUP_PACKS_MAX: Final = 8_000
BACKUP_BYTES_MAX: Final = 32 * KIB * MIB
BACKUP_NAMES_TOLD: Final = 20

COMMANDS_AT_ONCE: Final = 4
ROUTINE_COMMANDS_AT_ONCE: Final = 2
EXEC_TIMEOUT_SECONDS: Final = 120
EXEC_TIMEOUT_SECONDS_MAX: Final = 600
COMMAND_CHARACTERS_MAX: Final = 400_000

OUTPUT_CHARACTERS: Final = 16_000
OUTPUT_HEAD_CHARACTERS: Final = OUTPUT_CHARACTERS // 4
OUTPUT_TAIL_CHARACTERS: Final = OUTPUT_CHARACTERS - OUTPUT_HEAD_CHARACTERS
LOG_BYTES_MAX: Final = 64 * MIB
LIVE_TAIL_CHARACTERS: Final = 64 * KIB

# The workspace and the home folder together, by their blocks.
WORKSPACE_BYTES_MAX: Final = 5 * KIB * MIB

READ_LINES: Final = 2_000
READ_LINE_CHARACTERS: Final = 2_000
READ_CHARACTERS: Final = 400_000
WRITE_BYTES_MAX: Final = 5 * MIB
PICTURE_EDGE: Final = 1_568
PICTURE_BYTES_MAX: Final = 1_500_000
PICTURES_A_QUESTION: Final = 8
# They are copied several times on their way into a request.
PICTURES_BYTES_A_QUESTION: Final = 3_000_000
DIFF_CHARACTERS: Final = 16_000

ARTIFACT_BYTES_MAX: Final = 25 * MIB
ARTIFACTS_A_RUN: Final = 10
UPLOAD_BYTES_MAX: Final = 25 * MIB
UPLOADS_A_MESSAGE: Final = 20
# R2 takes no smaller part but the last. A file of more than one part can be sent by parts.
UPLOAD_PART_BYTES: Final = 5 * MIB
UNFINISHED_UPLOADS_MAX: Final = 40
UNFINISHED_UPLOAD_SECONDS: Final = 24 * 3_600
UPLOAD_NAME_CHARACTERS_MAX: Final = 1_000

MESSAGE_CHARACTERS_MAX: Final = 400_000
# The same as it is stored, in a row of 2 MB: only signs that nobody sees come near it.
MESSAGE_BYTES_MAX: Final = 1_800_000
# A row of a Durable Object holds 2 MB; what a model says in one call has to fit into one. Longer texts of
# files are kept beside it until the call has ended, and shown shortened.
CALL_BYTES_MAX: Final = 1_600_000
CALL_TEXT_CHARACTERS: Final = 64_000
ROUNDS_A_RUN: Final = 40
ROUNDS_A_RUN_MAX: Final = 200
CALLS_A_ROUND: Final = 100
# What an owner keeps where they chose nothing else, and what is left of a result that is older.
RETENTION_DAYS: Final = 30
RETENTION_DAYS_MAX: Final = 3_650
AGED_RESULT_CHARACTERS: Final = 1_000
ATTEMPTS_A_ROUND: Final = 5
RUNS_AT_ONCE: Final = 8
# Of a conversation as it is sent; three bytes count as a token.
WINDOW_TOKENS: Final = 100_000
WINDOW_TOKENS_MIN: Final = 4_000
# Of an answer, as its provider says them: a year's sum of them, by any price, is a number that can be stored.
TOKENS_COUNTED_MAX: Final = 1_000_000_000
QUESTION_CHARACTERS_MAX: Final = 2_000
QUESTION_CHOICES_MAX: Final = 8
CHOICE_CHARACTERS_MAX: Final = 200
TAINT_CAUSES_KEPT: Final = 10

TITLE_CHARACTERS: Final = 60
TITLE_SECONDS: Final = 20
TITLE_TRIES: Final = 3
SEARCH_CHARACTERS_MAX: Final = 200
SEARCH_WORDS: Final = 16
SEARCH_HITS_A_PAGE: Final = 30
SNIPPET_CHARACTERS: Final = 160
EXPORT_BYTES_MAX: Final = 64 * MIB
# Everything of an owner as one file.
ARCHIVE_FILES_MAX: Final = 5_000
ARCHIVE_PIECE_BYTES: Final = 4 * MIB
ARCHIVE_DAYS: Final = 7
ARCHIVE_TRIES: Final = 10
# How long a deletion of everything can be taken back.
DELETION_UNDO_DAYS: Final = 7
# How long the page offers to undo, and how long a deleted thread can come back: an undo may be on its way.
UNDO_SECONDS: Final = 30
PURGE_SECONDS: Final = 60

# A model's answer: how long a provider may be silent and may take in all, and how much it may send. A file's
# text of 5 MB is JSON in JSON, so a line can be three times as long, and escaped once more.
MODEL_SILENCE_SECONDS: Final = 120
MODEL_ANSWER_SECONDS: Final = 1_200
MODEL_TRIES: Final = 4
MODEL_NAME_CHARACTERS_MAX: Final = 200
RETRY_AFTER_SECONDS_MAX: Final = 60
ANSWER_CHARACTERS_MAX: Final = 3 * WRITE_BYTES_MAX
ANSWER_LINE_CHARACTERS_MAX: Final = 2 * ANSWER_CHARACTERS_MAX
REASONING_CHARACTERS: Final = 64_000
KEPT_CHARACTERS_MAX: Final = 400_000
KEY_CHARACTERS_MAX: Final = 4_096
RECORDED_ANSWERS_MAX: Final = 200
RECORDED_CHARACTERS_MAX: Final = 400_000

# A client that does not acknowledge loses live frames at the first mark and its socket at the second.
SOCKET_LIVE_BYTES_MAX: Final = 1 * MIB
SOCKET_BYTES_MAX: Final = 4 * MIB
EVENTS_A_PAGE: Final = 500
# Of the events in one page; one that is longer is a page by itself.
PAGE_CHARACTERS_MAX: Final = 1_000_000
ARTIFACTS_A_PAGE: Final = 100
COMMANDS_A_PAGE: Final = 100
# Of a command in a list.
COMMAND_SHOWN_CHARACTERS: Final = 500
PATH_CHARACTERS_MAX: Final = 4_096
ENTRIES_A_PAGE: Final = 1_000
LISTINGS_KEPT: Final = 100

# What a computer sends and fetches. Bursts are what an owner's bucket holds when it is full.
EGRESS_URL_CHARACTERS_MAX: Final = 8 * KIB
EGRESS_QUERY_BYTES_MAX: Final = 64 * KIB
EGRESS_BODY_SECONDS: Final = 30
EGRESS_REQUESTS_BURST: Final = 2_000
EGRESS_REQUESTS_A_SECOND: Final = 20
EGRESS_BYTES_BURST: Final = 4 * KIB * MIB
EGRESS_BYTES_A_SECOND: Final = 8 * MIB
EGRESS_CUT_SECONDS: Final = 3
EGRESS_RULES_MAX: Final = 50
EGRESS_RULE_DAYS_MAX: Final = 365

# What operators see at once.
OPERATOR_OWNERS_A_PAGE: Final = 50
# How soon after something has happened an owner's numbers are told; how long a change waits for the record.
REPORT_SECONDS: Final = 30
AUDIT_TELL_SECONDS: Final = 3
# How long the answer of /readyz holds.
READY_SECONDS: Final = 5

# Money, in millionths of a US dollar; a deployment may set it otherwise, see docs/allowance.md. A standard-1
# costs 0.074 dollars an hour at its worst.
COMPUTER_MICRO_AN_HOUR: Final = 74_000
ALLOWANCE_MICRO_A_MONTH: Final = 20_000_000
GRANT_MICRO_MAX: Final = 10_000_000_000
COMPUTERS_MICRO_A_DAY: Final = 200_000_000
COMPUTERS_MICRO_AN_HOUR: Final = 50_000_000
# How often a machine is settled while nothing begins or ends on it, and the most that one settlement counts.
SETTLE_SECONDS: Final = 60
SETTLE_SECONDS_MAX: Final = 3_600
# How long what the platform said of its breakers is taken for new, and how long it holds while it is silent.
CIRCUIT_SECONDS: Final = 10
CIRCUIT_SECONDS_MAX: Final = 300
CIRCUIT_TRIAL_SECONDS: Final = 600
CIRCUIT_TRIAL_PERCENT: Final = 10
# Of starts in the last ten minutes: so many, half of them failed, and those of so many owners.
CIRCUIT_STARTS: Final = 20
CIRCUIT_STARTS_OWNERS: Final = 5
CIRCUIT_STARTS_SECONDS: Final = 600
CIRCUIT_STARTS_PAUSE_SECONDS: Final = 300
USAGE_DAYS_MAX: Final = 400
USAGE_ROWS_MAX: Final = 200

# Of the trading venue.
APPROVAL_SECONDS: Final = 15 * 60
APPROVAL_SECONDS_MIN: Final = 60
APPROVAL_SECONDS_MAX: Final = 24 * 3_600
ORDERS_A_BATCH: Final = 20
CANDLES_MAX: Final = 200
DECLINE_REASON_CHARACTERS_MAX: Final = 500
RULE_ENTRIES_MAX: Final = 50
INTENTS_A_PAGE: Final = 50
# Per cent that the mid may have moved since it was shown, where an owner set no other bound.
PRICE_MOVE_PERCENT: Final = 1
PRICE_MOVE_PERCENT_MAX: Final = 10
# After this the venue takes a sent action no more; then, and a margin later, one that is not found never was.
ACTION_SECONDS: Final = 45
ACTION_MARGIN_SECONDS: Final = 15
# From when on an action that is not found is fenced by a noop with its nonce.
FENCE_AFTER_SECONDS: Final = 15

# Of candles that the paper market plays: of each market, and how long one takes.
REPLAY_CANDLES_MAX: Final = 1_000
REPLAY_SECONDS_MIN: Final = 3
REPLAY_SECONDS_MAX: Final = 86_400

# Of accounts at the real venue. Weight is the venue's own measure; it counts 1,200 a minute of one address,
# and the addresses that a Worker asks from are shared.
TRADING_ACCOUNTS_MAX: Final = 10
VENUE_WEIGHT_A_MINUTE: Final = 600
VENUE_READ_SECONDS: Final = 10
VENUE_SEND_SECONDS: Final = 30
VENUE_ANSWER_BYTES_MAX: Final = 4 * MIB

# Notices to an owner: how long one stays worth sending, and how often, how soon and how long it is tried.
NOTICE_SECONDS: Final = 24 * 3_600
NOTICE_TRIES: Final = 8
NOTICE_SEND_SECONDS: Final = 10
NOTICE_RETRY_SECONDS: Final = 30
NOTICE_RETRY_SECONDS_MAX: Final = 2 * 3_600
NOTICE_SENT_AT_ONCE: Final = 8
# While a page is open, and after the last one has gone: a page that is loaded anew is gone for a moment.
NOTICE_LOOK_SECONDS: Final = 300
NOTICE_LEFT_SECONDS: Final = 10
NOTICES_WAITING_MAX: Final = 500
NOTICES_KEPT: Final = 200
NOTICES_A_PAGE: Final = 50
NOTICE_BROWSERS_MAX: Final = 10
NOTICE_URL_CHARACTERS_MAX: Final = 2_000
NOTICE_NAME_CHARACTERS: Final = 100
NOTICE_EMAILS_AN_HOUR: Final = 10
NOTICE_TESTS_AN_HOUR: Final = 20
EMAIL_CODES_A_DAY: Final = 5
EMAIL_CODE_SECONDS: Final = 30 * 60
EMAIL_CODE_TRIES: Final = 5

# Of routines. Of what they share with the chat they have a part, so that neither starves the other.
ROUTINES_MAX: Final = 100
ROUTINE_RUNS_AT_ONCE: Final = 4
ROUTINE_NAME_CHARACTERS_MAX: Final = 100
ROUTINE_CRON_CHARACTERS_MAX: Final = 100
ROUTINE_EVERY_MINUTES_MAX: Final = 43_200
# The end of the year 9999.
ROUTINE_ONCE_MS_MAX: Final = 253_402_300_799_000
ROUTINE_ROUNDS: Final = 20
ROUTINE_MINUTES: Final = 15
ROUTINE_MINUTES_MAX: Final = 360
ROUTINE_WAIT_SECONDS: Final = 24 * 3_600
ROUTINE_FAILURES: Final = 5
ROUTINE_FAILURES_MAX: Final = 20
ROUTINE_QUEUE_MAX: Final = 3
ROUTINE_HISTORY_KEPT: Final = 200
ROUTINE_HISTORY_A_PAGE: Final = 50
ROUTINE_PREVIEW_TIMES: Final = 5
# Micro-dollars: a run, a month, and the most that can be set for either.
ROUTINE_RUN_MICRODOLLARS: Final = 500_000
ROUTINE_MONTH_MICRODOLLARS: Final = 10_000_000
ROUTINE_MICRODOLLARS_MAX: Final = 1_000_000_000
# What a routine's limits are counted by: list prices of a large model, and standard-1 at its worst.
MICRODOLLARS_A_READ_TOKEN: Final = 3
MICRODOLLARS_A_WRITTEN_TOKEN: Final = 15
MICRODOLLARS_A_COMPUTER_HOUR: Final = 74_000
# Of what decides whether a run starts.
ROUTINE_CHECKS_MAX: Final = 3
ROUTINE_CHECKS_AT_ONCE: Final = 4
ROUTINE_URL_CHARACTERS_MAX: Final = 2_000
ROUTINE_CHECK_SECONDS: Final = 10
ROUTINE_CHECK_BYTES_MAX: Final = 256 * KIB

# Of signing in.
SETUP_CODE_CHARACTERS_MIN: Final = 20
PERSON_NAME_CHARACTERS_MAX: Final = 60
PASSKEYS_MAX: Final = 20
PASSKEY_NAME_CHARACTERS_MAX: Final = 60
PASSKEY_BYTES_MAX: Final = 64 * KIB
RECOVERY_CODES: Final = 10
# From being asked for a passkey, and from being sent to a provider, to the answer.
CHALLENGE_SECONDS: Final = 300
LOGIN_SECONDS: Final = 600
RETURN_CHARACTERS_MAX: Final = 1_000
INVITATION_DAYS: Final = 7
INVITATIONS_MAX: Final = 200
SIGN_IN_PROVIDER_SECONDS: Final = 10
SIGN_IN_PROVIDER_BYTES_MAX: Final = 256 * KIB
# How long what Access has vouched for is not checked again.
ACCESS_KEPT_SECONDS: Final = 60

# Of being signed in.
SESSION_DAYS: Final = 30
SESSION_ROTATION_SECONDS: Final = 24 * 3_600
# How long the secret before stays good once the new one has been used, and how soon another is offered.
SESSION_OVERLAP_SECONDS: Final = 60
SESSIONS_MAX: Final = 50
TOKENS_MAX: Final = 50
TOKEN_NAME_CHARACTERS_MAX: Final = 60
TOKEN_DAYS_MAX: Final = 366
TICKET_SECONDS: Final = 30
TICKETS_MAX: Final = 100
# Of an address that tries to get in; wrangler.toml has the same two numbers.
SIGN_IN_ATTEMPTS_MAX: Final = 60
SIGN_IN_ATTEMPTS_SECONDS: Final = 60
# Of secrets and codes of one person that do not hold.
FAILED_ATTEMPTS_MAX: Final = 100
FAILED_ATTEMPTS_SECONDS: Final = 600

# Of workspaces of several people; an invitation ends as one to sign up does.
WORKSPACES_A_PERSON_MAX: Final = 20
WORKSPACE_NAME_CHARACTERS_MAX: Final = 60
MEMBERS_MAX: Final = 50
MEMBER_INVITATIONS_MAX: Final = 20
INVITATION_CODE_CHARACTERS_MAX: Final = 200
# Of each that a person belongs to, when a session of theirs has ended.
SIGNED_OUT_SECONDS: Final = 5
# Of each that a person belongs to, when they are listed.
MEMBERSHIP_SECONDS: Final = 5
