"""The test image agnhost: one program with many subcommands."""
