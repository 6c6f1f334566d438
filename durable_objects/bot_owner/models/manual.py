"""The `manual` model: no model at all. A person's lines are the tool calls.

    $ make test                 computer__exec (following lines belong to it, up to the next call)
    /read path                  computer__read_file
    /write path                 computer__write_file with the following lines
    /edit path                  computer__edit_file; then the old lines, a line ====, and the new lines
    /export path                computer__export_artifact

    /markets, /orders …         the trading venue: see `manual_trading.py`

Anything else is answered with what it can do. It is how Berth is tried without an account, and
how its own tests speak to it.
"""

# ruff: noqa: RUF001 - Chinese punctuation is meant

from collections.abc import AsyncGenerator

from durable_objects.bot_owner.models import manual_trading
from durable_objects.bot_owner.models.protocol import CallPart, Part, Question, TextPart

HELP = {
    "en": (
        "I have no model, so I do exactly what you type:\n\n"
        "- `$ command` runs it in the computer (more lines may follow)\n"
        "- `/read path` shows a file\n"
        "- `/write path`, then the text on the next lines, writes a file\n"
        "- `/edit path`, then the old lines, a line `====` and the new lines, changes a part of a file\n"
        "- `/export path` gives you a file to download\n"
        "- `/markets`, `/account` and `/candles BTC 1h` read the trading venue\n"
        "- `/orders`, then lines such as `buy 0.01 BTC 60010 Ioc`, proposes orders, and you are asked\n"
        "- `/cancel ID` proposes to cancel one\n\n"
        "To talk to a model, open the bot's settings and choose one."
    ),
    "zh-Hans": (
        "我没有接模型，只照你输入的做：\n\n"
        "- `$ 命令`：在电脑里运行（可以接着写多行）\n"
        "- `/read 路径`：查看文件\n"
        "- `/write 路径`，下一行起是内容：写入文件\n"
        "- `/edit 路径`，下面依次是原文、一行 `====`、新内容：修改文件的一处\n"
        "- `/export 路径`：把文件交给你下载\n"
        "- `/markets`、`/account`、`/candles BTC 1h`：查看交易所\n"
        "- `/orders`，下面每行一笔，如 `buy 0.01 BTC 60010 Ioc`：提出订单，由你批准\n"
        "- `/cancel 编号`：提出撤单\n\n"
        "想和模型对话，请在机器人设置里选择一个。"
    ),
    "zh-Hant": (
        "我沒有接模型，只照你輸入的做：\n\n"
        "- `$ 命令`：在電腦裡執行（可以接著寫多行）\n"
        "- `/read 路徑`：檢視檔案\n"
        "- `/write 路徑`，下一行起是內容：寫入檔案\n"
        "- `/edit 路徑`，下面依次是原文、一行 `====`、新內容：修改檔案的一處\n"
        "- `/export 路徑`：把檔案交給你下載\n"
        "- `/markets`、`/account`、`/candles BTC 1h`：查看交易所\n"
        "- `/orders`，下面每行一筆，如 `buy 0.01 BTC 60010 Ioc`：提出訂單，由你批准\n"
        "- `/cancel 編號`：提出撤單\n\n"
        "想和模型對話，請在機器人設定裡選擇一個。"
    ),
}

DIVIDER = "===="
VERBS = {
    "/read": "computer__read_file",
    "/write": "computer__write_file",
    "/edit": "computer__edit_file",
    "/export": "computer__export_artifact",
}


def read_lines(text: str) -> list[CallPart] | None:
    """Return the calls a message asks for, or None where its first line is not a call."""
    calls: list[CallPart] = []
    blocks: list[list[str]] = []
    for line in text.strip("\n").split("\n"):
        # A line of a text may well begin with a dollar sign: `$x = 1`.
        if _verb(line) and (not blocks or not line.startswith("$") or line.startswith("$ ")):
            blocks.append([line])
        elif not blocks:
            return None
        else:
            blocks[-1].append(line)
    for first, *rest in blocks:
        verb, argument = _verb(first), _argument(first)
        if verb in manual_trading.VERBS:
            calls.append(CallPart(*manual_trading.call_of(verb, argument, rest)))
        elif verb == "$":
            command = "\n".join([argument, *rest]).rstrip("\n")
            calls.append(CallPart("computer__exec", {"command": command}))
        elif verb == "/write":
            content = "\n".join(rest) + "\n" if rest else ""
            calls.append(CallPart(VERBS[verb], {"path": argument, "content": content}))
        elif verb == "/edit":
            calls.append(CallPart(VERBS[verb], {"path": argument, **_halves(rest)}))
        else:
            calls.append(CallPart(VERBS[verb], {"path": argument}))
    return calls


def _halves(lines: list[str]) -> dict[str, str]:
    at = lines.index(DIVIDER) if DIVIDER in lines else len(lines)
    return {"oldText": "\n".join(lines[:at]), "newText": "\n".join(lines[at + 1 :])}


def _verb(line: str) -> str:
    if line.startswith("$") and line[1:].strip():
        return "$"
    word, _, rest = line.rstrip().partition(" ")
    if word in manual_trading.VERBS:
        return word
    return word if word in VERBS and rest.strip() else ""


def _argument(line: str) -> str:
    return line[1:].strip() if line.startswith("$") else line.partition(" ")[2].strip()


class ManualModel:
    reads_results = False
    reads_history = False

    async def answer(self, question: Question) -> AsyncGenerator[Part, None]:
        asked = [read_lines(turn.text) for turn in question.news]
        for calls in asked:
            for call in calls or []:
                yield call
        if asked and all(calls is None for calls in asked):
            yield TextPart(HELP.get(question.locale(), HELP["en"]))
