"""Money: prices, the ledger, the owner's allowance, and what was used by whom."""
