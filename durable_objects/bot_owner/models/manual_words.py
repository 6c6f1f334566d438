"""What the `manual` model says to a person, in each language: what it can do, and what a line lacks."""

# ruff: noqa: RUF001 - Chinese punctuation is meant

from collections.abc import Mapping

HELP: Mapping[str, str] = {
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

EXAMPLES = {
    "/read": "/read notes.txt",
    "/write": "/write notes.txt",
    "/edit": "/edit notes.txt",
    "/export": "/export notes.txt",
    "/candles": "/candles BTC 1h",
    "/order": "/order 0x00000000000000000000000000000001",
    "/orders": "buy 0.01 BTC 60010 Ioc",
    "/cancel": "/cancel 0x00000000000000000000000000000001",
}
MISTAKES: Mapping[str, Mapping[str, str]] = {
    "en": {
        "unknown": "There is no command `{word}`.",
        "nearest": "There is no command `{word}`. Did you mean {near}?",
        "or": " or ",
        "missing": "Line {line}: {field} is missing after `{word}`.",
        "no_orders": "Line {line}: `/orders` has no order. Each order goes on a line of its own below it.",
        "many_orders": "Line {line}: `/orders` takes {most} orders at most.",
        "side": "Line {line}: an order begins with `buy` or `sell`, not `{word}`.",
        "order_short": "Line {line}: {field} is missing from `{word}`.",
        "number": "Line {line}: {field} has to be a number over zero, not `{word}`.",
        "symbol": "Line {line}: `{word}` is no market.",
        "extra": "Line {line}: after the price come `Gtc`, `Ioc`, `Alo` or `reduce`, not `{word}`.",
        "interval": "Line {line}: the interval is one of {known}, not `{word}`.",
        "order_id": "Line {line}: `{word}` is no order's id. `/account` shows the ids of open orders.",
        "too_many": "Line {line}: `{word}` is too much for one line.",
        "example": "For example: `{example}`",
        "nothing_done": "Nothing was done.",
    },
    "zh-Hans": {
        "unknown": "没有 `{word}` 这个命令。",
        "nearest": "没有 `{word}` 这个命令。是不是想用 {near}？",
        "or": " 或 ",
        "missing": "第 {line} 行：`{word}` 后面缺少{field}。",
        "no_orders": "第 {line} 行：`/orders` 下面没有订单。订单写在它下面，每行一笔。",
        "many_orders": "第 {line} 行：`/orders` 一次最多 {most} 笔。",
        "side": "第 {line} 行：订单要以 `buy` 或 `sell` 开头，而不是 `{word}`。",
        "order_short": "第 {line} 行：`{word}` 缺少{field}。",
        "number": "第 {line} 行：{field}要是大于零的数，而不是 `{word}`。",
        "symbol": "第 {line} 行：没有 `{word}` 这样的市场。",
        "extra": "第 {line} 行：价格后面只能写 `Gtc`、`Ioc`、`Alo` 和 `reduce`，不能写 `{word}`。",
        "interval": "第 {line} 行：周期是 {known} 之一，而不是 `{word}`。",
        "order_id": "第 {line} 行：`{word}` 不是订单编号。`/account` 会列出挂单的编号。",
        "too_many": "第 {line} 行：`{word}` 写得太多了。",
        "example": "例如：`{example}`",
        "nothing_done": "什么也没有做。",
    },
    "zh-Hant": {
        "unknown": "沒有 `{word}` 這個指令。",
        "nearest": "沒有 `{word}` 這個指令。是不是想用 {near}？",
        "or": " 或 ",
        "missing": "第 {line} 行：`{word}` 後面缺少{field}。",
        "no_orders": "第 {line} 行：`/orders` 下面沒有訂單。訂單寫在它下面，每行一筆。",
        "many_orders": "第 {line} 行：`/orders` 一次最多 {most} 筆。",
        "side": "第 {line} 行：訂單要以 `buy` 或 `sell` 開頭，而不是 `{word}`。",
        "order_short": "第 {line} 行：`{word}` 缺少{field}。",
        "number": "第 {line} 行：{field}要是大於零的數，而不是 `{word}`。",
        "symbol": "第 {line} 行：沒有 `{word}` 這樣的市場。",
        "extra": "第 {line} 行：價格後面只能寫 `Gtc`、`Ioc`、`Alo` 和 `reduce`，不能寫 `{word}`。",
        "interval": "第 {line} 行：週期是 {known} 之一，而不是 `{word}`。",
        "order_id": "第 {line} 行：`{word}` 不是訂單編號。`/account` 會列出掛單的編號。",
        "too_many": "第 {line} 行：`{word}` 寫得太多了。",
        "example": "例如：`{example}`",
        "nothing_done": "什麼也沒有做。",
    },
}
FIELDS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "side": "the side (buy or sell)", "size": "the size", "symbol": "the market", "price": "the price",
        "path": "a path", "order_id": "the order's id",
    },
    "zh-Hans": {
        "side": "方向（buy 或 sell）", "size": "数量", "symbol": "市场", "price": "价格", "path": "路径",
        "order_id": "订单编号",
    },
    "zh-Hant": {
        "side": "方向（buy 或 sell）", "size": "數量", "symbol": "市場", "price": "價格", "path": "路徑",
        "order_id": "訂單編號",
    },
}  # fmt: skip
WORD_CHARACTERS = 60


class MistakeError(Exception):
    """A line that cannot be a call. `kind` is a key of MISTAKES, `example` one of EXAMPLES or empty.

    `word` is what the person wrote, `field` what of it is wrong, `near` the commands that come near.
    """

    def __init__(
        self, kind: str, word: str, *, line: int = 1, field: str = "", example: str = "", **facts: str | int
    ) -> None:
        super().__init__(kind)
        self.kind = kind
        self.line = line
        self._word = word
        self._field = field
        self._example = example
        self._facts = facts

    def told(self, locale: str) -> str:
        words = MISTAKES.get(locale, MISTAKES["en"])
        fields = FIELDS.get(locale, FIELDS["en"])
        facts = self._facts | {"line": self.line, "word": _shown(self._word)}
        if self._field:
            facts["field"] = fields[self._field]
        if isinstance(near := facts.get("near"), str):
            facts["near"] = words["or"].join(f"`{one}`" for one in near.split())
        gap = " " if words is MISTAKES["en"] else ""
        told = words[self.kind].format(**facts) + gap + words["nothing_done"]
        if self._example:
            told += "\n\n" + words["example"].format(example=EXAMPLES[self._example])
        return told


def _shown(word: str) -> str:
    """What was written, as it can stand between backticks."""
    text = " ".join(word.replace("`", "'").split())
    return text if len(text) <= WORD_CHARACTERS else text[:WORD_CHARACTERS] + "…"
