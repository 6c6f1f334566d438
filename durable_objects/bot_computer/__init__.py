"""BotComputer: one owner's machine. It wakes it, runs commands in it and puts it to sleep.

Read in this order: `machine` (its states), `commands` (what runs and ran), `output` and `frames`
(what a command says), `follow` (staying with a command to its end), `shell`.
"""
