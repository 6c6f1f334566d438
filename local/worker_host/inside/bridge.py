"""The Python side of the Worker host: finds the Worker's classes and runs calls on them.

One call from JavaScript is one crossing. A handler that never waits for JavaScript is finished in that same
crossing, because its task starts at once and the ready callbacks of the loop are run before returning; only
what is still pending then becomes a promise. Read `python_worker.mjs` for the other side, and `event_loop.py`
for the loop.
"""

import asyncio
import importlib
import inspect
import traceback
from collections.abc import Coroutine
from types import ModuleType
from typing import Any

import js
from pyodide.ffi import JsException, JsProxy, jsnull, to_js
from workers import DurableObject, Request, WorkerEntrypoint, python_from_rpc, python_to_rpc

from event_loop import drain, install

# Called with JavaScript's own values and only as many as the method takes, as on Cloudflare.
RAW_HANDLERS = frozenset({"alarm", "webSocketMessage", "webSocketClose", "webSocketError"})
PLAIN = (str, int, float, bool)

loop = asyncio.get_event_loop()
pending: set[asyncio.Task[Any]] = set()
classes: dict[str, type] = {}
arities: dict[tuple[type, str], int] = {}
environment: Any = None
"""The bindings as the SDK wraps them. They are the same for every event, so they are wrapped once."""


def load(name: str, env: JsProxy) -> JsProxy:
    """Import the entry module; return `{kind: {class name: [method names]}}`."""
    global environment  # noqa: PLW0603 - one Worker per interpreter
    install()
    environment = WorkerEntrypoint(None, env).env
    module = importlib.import_module(name)
    found = {
        "durableObjects": _subclasses(module, DurableObject),
        "entrypoints": _subclasses(module, WorkerEntrypoint),
    }
    found_js: JsProxy = to_js(
        {kind: {cls.__name__: _methods(cls) for cls in group} for kind, group in found.items()},
        dict_converter=js.Object.fromEntries,
    )
    return found_js


def _subclasses(module: ModuleType, base: type) -> list[type]:
    names = getattr(module, "__all__", None) or [name for name in dir(module) if not name.startswith("_")]
    exported = [getattr(module, name) for name in names]
    group = [
        value
        for value in exported
        if inspect.isclass(value) and issubclass(value, base) and value is not base
    ]
    classes.update({cls.__name__: cls for cls in group})
    return group


def _methods(cls: type) -> list[str]:
    return sorted(name for name, _ in inspect.getmembers(cls, inspect.isfunction) if not name.startswith("_"))


def construct(name: str, ctx: JsProxy) -> object:
    return classes[name](ctx, environment)


def serve(class_name: str, ctx: JsProxy, method: str, *args: Any) -> Any:
    """Run one event on an entrypoint, which lives no longer than that event."""
    try:
        instance = classes[class_name](ctx, environment)
    except Exception as error:  # noqa: BLE001 - the border to JavaScript: it arrives there as an error
        return _rejected(_as_js_error(error, f"{class_name}.__init__"))
    return call(instance, method, *args)


def call(instance: object, name: str, *args: Any) -> Any:
    """Call a method; return its JavaScript result, or a promise of it when it has to wait."""
    try:
        method = getattr(instance, name, None)
        if method is None or name.startswith("_"):
            return _rejected(js.TypeError.new(f"Method {name} does not exist"))
        result = method(*_arguments(instance, name, args))
        if not inspect.iscoroutine(result):
            return _result(result)
        return _finish(result, instance, name)
    except Exception as error:  # noqa: BLE001 - as above
        return _rejected(_as_js_error(error, _where(instance, name)))


def _arguments(instance: object, name: str, args: tuple[Any, ...]) -> Any:
    if name == "fetch":
        return (Request(args[0]),)
    if name in RAW_HANDLERS:
        return args[: _arity(type(instance), name)]
    return [python_from_rpc(arg) if isinstance(arg, JsProxy) or arg is jsnull else arg for arg in args]


def _arity(cls: type, name: str) -> int:
    known = arities.get((cls, name))
    if known is None:
        parameters = inspect.signature(getattr(cls, name)).parameters.values()
        unlimited = any(p.kind is p.VAR_POSITIONAL for p in parameters)
        known = arities[cls, name] = 9 if unlimited else len(parameters) - 1
    return known


def _result(value: Any) -> Any:
    if isinstance(value, PLAIN):
        return value
    if value is None:
        return jsnull
    if type(value) is bytes:
        # What python_to_rpc makes of it, without looking at every byte.
        return to_js(value)
    made = getattr(value, "js_object", None)
    return python_to_rpc(value) if made is None else made


def _finish(coroutine: Coroutine[Any, Any, Any], instance: object, name: str) -> Any:
    task: asyncio.Task[Any] = asyncio.Task(coroutine, loop=loop, eager_start=True)  # type: ignore[call-arg]  # from Python 3.12 on
    if not task.done():
        drain()
    if task.done():
        return _result(task.result())
    pending.add(task)
    promise = js.Promise.withResolvers()

    def settle(done: asyncio.Task[Any]) -> None:
        pending.discard(done)
        try:
            promise.resolve(_result(done.result()))
        except BaseException as error:  # noqa: BLE001 - as above, and a cancelled task is one that failed
            promise.reject(_as_js_error(error, _where(instance, name)))

    task.add_done_callback(settle)
    return promise.promise


def _rejected(error: JsException) -> JsProxy:
    # Not Promise.reject: a promise returned by a call from Python is a new one, with its error wrapped again.
    promise = js.Promise.withResolvers()
    promise.reject(error)
    rejected: JsProxy = promise.promise
    return rejected


def _traceback(error: BaseException) -> str:
    """Format it from where the Worker's own code begins."""
    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename == __file__:
        frames = frames.tb_next
    return "".join(traceback.format_exception(type(error), error, frames)).rstrip()


def _where(instance: object, name: str) -> str:
    return f"{type(instance).__name__}.{name}"


def _as_js_error(error: BaseException, where: str) -> JsException:
    """Return the error as it crosses: its type and message. The traceback goes to the log."""
    js.console.error(f"{where} raised\n{_traceback(error)}")
    if isinstance(error, JsException):
        return error  # JavaScript's own, on its way through Python
    text = "".join(traceback.format_exception_only(error)).strip()
    made: JsException = js.Error.new(text)
    return made
