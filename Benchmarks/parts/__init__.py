"""The subcommands of bench.py, a module each, and what they share."""
