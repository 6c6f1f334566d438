"""The rules themselves: whom a computer may never reach, and what is open to every bot.

To open something for everyone, add a row to `PUBLIC`. Package registries are not here: the build finds them.
`docs/policy.md` is printed from these tables.
"""

from contracts.limits import EGRESS_QUERY_BYTES_MAX
from egress.rules import Allow, Deny, Spared

VENUE_HOSTS = ("api.hyperliquid.xyz", "api.hyperliquid-testnet.xyz")
VENUE_REASON = "the trading venue is written to through approvals only, and read through /info"
CLOSED = "addresses of machines and networks are closed"

# What `POST /info` is asked with to read. Whatever else the venue may take there is denied.
VENUE_READS = frozenset(
    {
        "activeAssetData", "allMids", "candleSnapshot", "clearinghouseState", "frontendOpenOrders",
        "fundingHistory", "historicalOrders", "l2Book", "meta", "metaAndAssetCtxs", "openOrders",
        "orderStatus", "perpDexs", "predictedFundings", "spotClearinghouseState", "spotMeta",
        "spotMetaAndAssetCtxs", "tokenDetails", "userAbstraction", "userFees", "userFills",
        "userFillsByTime", "userFunding", "userRateLimit",
    }
)  # fmt: skip

DENY = (
    Deny(
        "venue",
        ("hyperliquid.xyz", "hyperliquid-testnet.xyz"),
        VENUE_REASON,
        spared=tuple(Spared("POST", host, "/info") for host in VENUE_HOSTS),
    ),
    Deny(
        "local",
        (
            "localhost", "local", "localdomain", "internal", "intranet", "lan", "home", "corp", "private",
            "home.arpa", "in-addr.arpa", "ip6.arpa",
        ),
        CLOSED,
    ),
    Deny(
        "names_of_addresses",
        ("nip.io", "sslip.io", "xip.io", "localtest.me", "lvh.me", "vcap.me", "lacolhost.com", "traefik.me"),
        "names that stand for any address are closed",
    ),
    Deny(
        "platform",
        ("workers.dev", "pages.dev", "r2.dev", "r2.cloudflarestorage.com", "cfargotunnel.com"),
        "hosts where Berth and other people's deployments keep their data are closed",
    ),
    Deny(
        "chain",
        (
            "alchemy.com", "alchemyapi.io", "ankr.com", "arbitrum.io", "avax.network", "base.org",
            "binance.org", "blastapi.io", "blockpi.network", "bnbchain.org", "chainstack.com",
            "cloudflare-eth.com", "drpc.org", "flashbots.net", "getblock.io", "helius-rpc.com",
            "infura.io", "llamarpc.com", "nodereal.io", "1rpc.io", "onfinality.io", "optimism.io",
            "polygon-rpc.com", "polygon.technology", "publicnode.com", "quicknode.com", "quiknode.pro",
            "solana.com", "tenderly.co", "thirdweb.com",
        ),
        "nodes of blockchains take transactions, so they are closed",
    ),
)  # fmt: skip


def _market(name: str, host: str, reason: str, *paths: str) -> Allow:
    return Allow(f"market:{name}", host, reason, paths)


PUBLIC = (
    *(
        Allow(
            "venue_read",
            host,
            "reading the trading venue",
            ("/info",),
            methods=frozenset({"POST"}),
            body="venue_read",
            body_bytes=EGRESS_QUERY_BYTES_MAX,
        )
        for host in VENUE_HOSTS
    ),
    _market(
        "binance",
        "data-api.binance.vision",
        "spot prices, books and candles of Binance",
        "/api/v3/time",
        "/api/v3/exchangeInfo",
        "/api/v3/klines",
        "/api/v3/depth",
        "/api/v3/trades",
        "/api/v3/aggTrades",
        "/api/v3/avgPrice",
        "/api/v3/ticker/24hr",
        "/api/v3/ticker/price",
        "/api/v3/ticker/bookTicker",
    ),
    _market(
        "coinbase",
        "api.exchange.coinbase.com",
        "spot prices, books and candles of Coinbase",
        "/time",
        "/currencies",
        "/products",
        "/products/{symbol}",
        "/products/{symbol}/candles",
        "/products/{symbol}/book",
        "/products/{symbol}/ticker",
        "/products/{symbol}/trades",
        "/products/{symbol}/stats",
    ),
    _market(
        "kraken",
        "api.kraken.com",
        "spot prices, books and candles of Kraken",
        "/0/public/Time",
        "/0/public/Assets",
        "/0/public/AssetPairs",
        "/0/public/Ticker",
        "/0/public/OHLC",
        "/0/public/Depth",
        "/0/public/Trades",
        "/0/public/Spread",
    ),
    _market(
        "coingecko",
        "api.coingecko.com",
        "prices and market values of coins by CoinGecko",
        "/api/v3/ping",
        "/api/v3/simple/price",
        "/api/v3/coins/list",
        "/api/v3/coins/markets",
        "/api/v3/coins/{name}",
        "/api/v3/coins/{name}/market_chart",
        "/api/v3/coins/{name}/ohlc",
        "/api/v3/global",
    ),
    _market(
        "frankfurter",
        "api.frankfurter.dev",
        "reference rates of the European Central Bank by Frankfurter",
        "/v1/currencies",
        "/v1/latest",
        "/v1/{day}",
        "/v1/{day}..",
        "/v1/{day}..{day}",
    ),
)
