"""Which of a person's operations go into the record, under which name, and with which facts.

A sign-in does too (`person.py`): nobody has called then. What only reads, or shows that somebody is known,
is not in the table.
"""

from collections.abc import Mapping

from durable_objects.shared.audited import Audited, asked, made

AUDITED: Mapping[str, Audited] = {
    "sign_out": Audited("signed_out"),
    "end_session": Audited("session_ended", asked("session_id")),
    "end_other_sessions": Audited("other_sessions_ended"),
    "create_token": Audited(
        "token_created",
        lambda _fields, result: {"token_id": result.id, "scopes": [str(scope) for scope in result.scopes]},
    ),
    "remove_token": Audited("token_removed", asked("token_id")),
    "rename": Audited("person_renamed"),
    "add_passkey": Audited("passkey_added", made("passkey_id")),
    "rename_passkey": Audited("passkey_renamed", asked("passkey_id")),
    "remove_passkey": Audited("passkey_removed", asked("passkey_id")),
    "keep_recovery_codes": Audited("recovery_codes_made"),
}
