"""deployment.toml: what it may say, and the sentence for each thing that it may not."""

from pathlib import Path

import pytest

from local.deploy.settings import TEMPLATE, Deployment, read_deployment
from local.launcher.errors import LauncherError

KNOWN = {
    "BERTH_SIGN_IN": "",
    "BERTH_NETWORK": "testnet",
    "BERTH_HOSTS": "",
    "BERTH_OIDC_ISSUER": "",
    "BERTH_OIDC_CLIENT_ID": "",
}
PASSKEY = '[variables]\nBERTH_SIGN_IN = "passkey"\n'
DIGEST = "ab" * 32


def read(tmp_path: Path, text: str) -> Deployment:
    file = tmp_path / "deployment.toml"
    file.write_text(text)
    return read_deployment(file, KNOWN)


def test_a_missing_file_is_written_for_its_owner_to_look_at(tmp_path: Path) -> None:
    file = tmp_path / "deployment.toml"
    with pytest.raises(LauncherError, match="has been written: look at it"):
        read_deployment(file, KNOWN)
    assert file.read_text() == TEMPLATE.read_text()
    assert read_deployment(file, KNOWN).name == "berth"


def test_what_is_not_said_is_as_in_wrangler_toml(tmp_path: Path) -> None:
    read_one = read(tmp_path, PASSKEY)
    assert (read_one.name, read_one.domain, read_one.image) == ("berth", "", "")
    assert read_one.variables == {**KNOWN, "BERTH_SIGN_IN": "passkey"}


@pytest.mark.parametrize("name", ["a", "b" * 42, "bot-2"])
def test_names_that_a_worker_may_have(tmp_path: Path, name: str) -> None:
    assert read(tmp_path, f'name = "{name}"\n{PASSKEY}').name == name


@pytest.mark.parametrize("name", ["", "b" * 43, "Bot", "-bot", "bot-", "bot.two", "bot two"])
def test_names_that_it_may_not_have(tmp_path: Path, name: str) -> None:
    with pytest.raises(LauncherError, match="name in deployment"):
        read(tmp_path, f'name = "{name}"\n{PASSKEY}')


@pytest.mark.parametrize(
    "domain",
    ["https://bot.example.com", "bot", "bot.example.com/x", "bot.example.com:443", "b_t.example.com"],
)
def test_a_domain_is_a_host_alone(tmp_path: Path, domain: str) -> None:
    with pytest.raises(LauncherError, match="host name alone"):
        read(tmp_path, f'domain = "{domain}"\n{PASSKEY}')


def test_an_image_is_named_by_its_digest(tmp_path: Path) -> None:
    image = f"registry.cloudflare.com/someone/computer@sha256:{DIGEST}"
    assert read(tmp_path, f'image = "{image}"\n{PASSKEY}').image == image
    with pytest.raises(LauncherError, match="by its digest"):
        read(tmp_path, f'image = "registry.cloudflare.com/someone/computer:latest"\n{PASSKEY}')


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("name = ", "cannot be read"),
        (f"nam = 'x'\n{PASSKEY}", "means nothing here: nam"),
        (f"name = 3\n{PASSKEY}", "a text in quotation marks"),
        ("variables = 'x'", r"\[variables\] on a line of its own"),
        ("[variables]\nBERTH_SIGN_IN = 3", "a text in quotation marks"),
        ("[variables]\nBERTH_SIGN_IM = 'passkey'", "no variable of a deployment"),
        ("[variables]\nBERTH_UNSANDBOXED = '1'", "no variable of a deployment"),
        ("name = 'bot'", "names no way to sign in"),
        ("[variables]\nBERTH_SIGN_IN = 'local'", "for one machine"),
        ("[variables]\nBERTH_SIGN_IN = 'passkey local'", "for one machine"),
        ("[variables]\nBERTH_SIGN_IN = 'password'", "password in BERTH_SIGN_IN is no way"),
        ("[variables]\nBERTH_SIGN_IN = 'oidc'", "oidc needs BERTH_OIDC_ISSUER"),
    ],
)
def test_one_sentence_for_each_mistake(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(LauncherError, match=sentence):
        read(tmp_path, text)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    file = tmp_path / "deployment.toml"
    file.write_bytes(b"name = '\xff'")
    with pytest.raises(LauncherError, match="cannot be read"):
        read_deployment(file, KNOWN)


def test_a_preview_shares_nothing_but_the_settings(tmp_path: Path) -> None:
    whole = read(tmp_path, f'name = "bot"\ndomain = "bot.example.com"\n{PASSKEY}')
    preview = whole.previewed("new-cards")
    assert (preview.name, preview.domain, preview.preview) == ("bot-new-cards", "", "new-cards")
    assert preview.variables == whole.variables


@pytest.mark.parametrize(("preview", "sentence"), [("New", "small letters"), ("n" * 40, "too long")])
def test_names_that_a_preview_may_not_have(tmp_path: Path, preview: str, sentence: str) -> None:
    whole = read(tmp_path, f'name = "bot"\n{PASSKEY}')
    with pytest.raises(LauncherError, match=sentence):
        whole.previewed(preview)
