"""The example of RFC 8291, section 5 and appendix A: keys, salt, text and the whole body."""

from durable_objects.bot_owner.key_safe import Cipher
from durable_objects.bot_owner.notices.web_push import Curve, KeyPair, decoded, encoded, encrypted

TEXT = b"When I grow up, I want to be a watermelon"
SALT = "DGv6ra1nlYgDCS1FRnbzlw"
SENDER_PRIVATE = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
SENDER_PUBLIC = "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8"
BROWSER_PRIVATE = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"
BROWSER_PUBLIC = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
BROWSER_SECRET = "BTBZMqHH6r4Tts7J_aSIgg"
BODY = (
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBr"
    "u3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
)


async def body_by(curve: Curve, cipher: Cipher) -> str:
    """The body of the example as this curve and cipher make it, in base64url."""
    made = await encrypted(
        curve,
        cipher,
        TEXT,
        own=KeyPair(decoded(SENDER_PRIVATE), decoded(SENDER_PUBLIC)),
        other=decoded(BROWSER_PUBLIC),
        secret=decoded(BROWSER_SECRET),
        salt=decoded(SALT),
    )
    return encoded(made)
