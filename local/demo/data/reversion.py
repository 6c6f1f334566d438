"""Says for each market whether its last close is over or under the mean of its candles."""

import sys
from pathlib import Path

for name in sys.argv[1:]:
    lines = Path(f"{name}.txt").read_text().splitlines()
    closes = [float(line.split()[4]) for line in lines if line.startswith("20")]
    mean = sum(closes) / len(closes)
    away = (closes[-1] - mean) / mean * 100
    print(f"{name}: {len(closes)} candles, mean {mean:.6g}, last {closes[-1]:.6g}, {away:+.2f} %")
    print(f"{name}: {'sell' if away > 0 else 'buy'}")
