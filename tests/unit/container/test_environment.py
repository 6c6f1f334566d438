"""What a command's environment holds, and that nothing else gets in."""

from pathlib import Path

from computerd.environment import CERTIFICATE, CHARTS, CHARTS_FONT, SHELL_ENV, WGET, command_environment

GIVEN = {
    "BERTH_NETWORK": "testnet",
    "BERTH_ACCOUNT_ADDRESSES": "[]",
    "https_proxy": "http://127.0.0.1:3128",
    "CLOUDFLARE_API_TOKEN": "secret",
    "LD_PRELOAD": "/tmp/evil.so",
    "PATH": "/tmp",
    "HOME": "/root",
}


def nothing_exists(_path: str) -> bool:
    return False


def test_only_listed_names_pass_on() -> None:
    environment = command_environment(GIVEN, "/home/berth", nothing_exists)
    assert environment["BERTH_NETWORK"] == "testnet"
    assert environment["https_proxy"] == "http://127.0.0.1:3128"
    assert "CLOUDFLARE_API_TOKEN" not in environment
    assert "LD_PRELOAD" not in environment
    assert environment["HOME"] == "/home/berth"
    assert environment["PATH"].startswith("/home/berth/.local/bin:")


def test_the_authority_is_trusted_once_it_is_there() -> None:
    names = ("SSL_CERT_FILE", "PIP_CERT", "NODE_EXTRA_CA_CERTS", "GIT_SSL_CAINFO", "CURL_CA_BUNDLE")
    without = command_environment({}, "/home/berth", nothing_exists)
    trusting = command_environment({}, "/home/berth", CERTIFICATE.__eq__)
    assert not set(names) & set(without)
    assert {trusting[name] for name in names} == {CERTIFICATE}
    assert "WGETRC" not in without
    assert trusting["WGETRC"] == WGET
    assert CERTIFICATE in Path(WGET).read_text()


def test_java_is_told_its_keystore_and_the_proxy() -> None:
    assert "JAVA_TOOL_OPTIONS" not in command_environment(GIVEN, "/home/berth", nothing_exists)
    trusting = command_environment(GIVEN, "/home/berth", CERTIFICATE.__eq__)
    assert trusting["JAVA_TOOL_OPTIONS"].split() == [
        "-Djavax.net.ssl.trustStore=/home/berth/.local/share/berth/trust.jks",
        "-Dhttps.proxyHost=127.0.0.1",
        "-Dhttps.proxyPort=3128",
    ]
    alone = command_environment({"http_proxy": "nonsense"}, "/home/berth", CERTIFICATE.__eq__)
    assert "proxy" not in alone["JAVA_TOOL_OPTIONS"]


def test_charts_find_chinese_letters_where_the_font_is() -> None:
    assert "MATPLOTLIBRC" not in command_environment({}, "/home/berth", nothing_exists)
    assert command_environment({}, "/home/berth", CHARTS_FONT.__eq__)["MATPLOTLIBRC"] == CHARTS


def test_the_files_it_names_are_there() -> None:
    assert Path(SHELL_ENV).is_file()
    assert Path(CHARTS).is_file()
    assert Path(WGET).is_file()
