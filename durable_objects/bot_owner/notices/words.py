"""What a notice says, in the owner's language: what happened, with which bot, in which thread. Never more."""

from collections.abc import Mapping
from dataclasses import dataclass

from contracts.limits import NOTICE_NAME_CHARACTERS
from contracts.notices import NoticeKind
from contracts.states import Locale
from durable_objects.bot_owner.envelope import visible

# ruff: noqa: RUF001 - Chinese punctuation is meant
TITLES: Mapping[Locale, Mapping[NoticeKind, str]] = {
    Locale.ENGLISH: {
        NoticeKind.APPROVAL: "Approval needed",
        NoticeKind.INPUT: "Your answer is needed",
        NoticeKind.FAILURE: "A run has failed",
        NoticeKind.ALLOWANCE: "The computer's allowance is used up",
        NoticeKind.ROUTINE: "A routine was paused",
        NoticeKind.TEST: "Notices reach you here",
    },
    Locale.SIMPLIFIED_CHINESE: {
        NoticeKind.APPROVAL: "需要你的批准",
        NoticeKind.INPUT: "需要你的回答",
        NoticeKind.FAILURE: "一次运行失败了",
        NoticeKind.ALLOWANCE: "电脑的额度已用完",
        NoticeKind.ROUTINE: "一个例行任务已暂停",
        NoticeKind.TEST: "通知可以送达这里",
    },
    Locale.TRADITIONAL_CHINESE: {
        NoticeKind.APPROVAL: "需要你的核准",
        NoticeKind.INPUT: "需要你的回答",
        NoticeKind.FAILURE: "一次執行失敗了",
        NoticeKind.ALLOWANCE: "電腦的額度已用完",
        NoticeKind.ROUTINE: "一個例行工作已暫停",
        NoticeKind.TEST: "通知可以送達這裡",
    },
}
CODE: Mapping[Locale, tuple[str, str]] = {
    Locale.ENGLISH: ("Your code for Berth", "Type this code in Berth's settings to get notices here: {code}"),
    Locale.SIMPLIFIED_CHINESE: ("Berth 验证码", "在 Berth 的设置中输入此验证码，即可在此接收通知：{code}"),
    Locale.TRADITIONAL_CHINESE: ("Berth 驗證碼", "在 Berth 的設定中輸入此驗證碼，即可在此接收通知：{code}"),
}


@dataclass(frozen=True)
class Words:
    title: str
    body: str
    """The bot and the thread; empty where neither is to be named."""


def words_of(locale: Locale, kind: NoticeKind, bot: str, thread: str) -> Words:
    """`thread` is empty where it has no title or none is to be told."""
    return Words(TITLES[locale][kind], " · ".join(filter(None, (_short(bot), _short(thread)))))


def code_words(locale: Locale, code: str) -> Words:
    subject, text = CODE[locale]
    return Words(subject, text.format(code=code))


def _short(name: str) -> str:
    """On one line, with what nobody sees shown by number: a name may come from a model."""
    line = visible(" ".join(name.split()))
    return line if len(line) <= NOTICE_NAME_CHARACTERS else line[: NOTICE_NAME_CHARACTERS - 1] + "…"
